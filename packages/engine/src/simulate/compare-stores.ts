/** Holds what the stores say of themselves against the books: their figures, and the law that every unit is somewhere once. */
import type { SegmentView } from '../ports/gate.ts';
import type { Stock } from '../ports/inventory-centre.ts';
import { type Books, nameOfQuota, nameOfSegment, quotasOf, type SegmentBook, sheetOf } from './books.ts';
import type { Report } from './violation.ts';

export interface StoreFigures {
  readonly stock: Stock;
  readonly views: readonly SegmentView[];
}

export function compareStores(books: Books, { stock, views }: StoreFigures, report: Report): void {
  compareLedger(books, stock, report);
  for (const segment of books.segments.values()) {
    const view = views.find((each) => nameOfSegment(each.segment) === segment.name) ?? null;
    compareGate(books, segment, { view, report });
  }
}

function compareLedger(books: Books, stock: Stock, report: Report): void {
  const total = books.totalUnits;
  let allotted = 0;
  for (const move of books.moves.values()) allotted += move.units;
  for (const units of books.returned.values()) allotted -= units;
  if (stock.centre.totalUnits !== total) {
    report('the total is what came and did not leave', null, `${stock.centre.totalUnits} instead of ${total}`);
  }
  if (stock.generation < books.freedTimes) {
    report('the generation rises when units become free', null, `${stock.generation} after ${books.freedTimes} times`);
  }
  if (stock.centre.freeUnits !== total - allotted) {
    report('free is what is not allotted', null, `${stock.centre.freeUnits} instead of ${total - allotted}`);
  }
  for (const quota of stock.quotas) {
    const segment = books.segments.get(nameOfSegment(quota));
    const sheet = segment && sheetOf(books, segment, nameOfQuota(quota));
    if (!sheet) report('a quota belongs to the sale', null, nameOfQuota(quota));
    else {
      const counted = `allotted ${quota.allottedUnits}, held ${quota.heldUnits}, sold ${quota.soldUnits}`;
      const booked = `allotted ${sheet.allotted}, held ${sheet.held}, sold ${sheet.sold}`;
      if (counted !== booked) report('the ledger counts what its rows say', null, `${counted} instead of ${booked}`);
    }
  }
  const inTransit = [...books.moves.values()].filter((move) => move.state === 'inTransit');
  const open = new Set(stock.openMoves.map((move) => move.id));
  for (const move of inTransit) if (!open.has(move.id)) report('a move stays open until it arrived', move.id, 'closed');
}

interface GateComparison {
  readonly view: SegmentView | null;
  readonly report: Report;
}

function compareGate(books: Books, segment: SegmentBook, { view, report }: GateComparison): void {
  if (!segment.gate) return;
  for (const quota of quotasOf(books, segment)) {
    const booked = segment.gate.available.get(quota) ?? 0;
    const channel = quota.slice(segment.name.length + 1);
    const actual = view?.availableUnits.get(channel) ?? 0;
    if (actual !== booked) report('the gate has what moved there', null, `${actual} instead of ${booked}`);
    if (actual < 0) report('no quota goes below zero', null, `${actual}`);
    const { allotted, available, claimed, inTransit, held, sold } = sheetOf(books, segment, quota);
    if (available !== null && available + claimed + inTransit + held + sold !== allotted) {
      const parts = `available ${available} + claimed ${claimed} + in transit ${inTransit} + held ${held} + sold ${sold}`;
      report('every unit is in exactly one place', null, `${parts} instead of ${allotted}`);
    }
  }
}
