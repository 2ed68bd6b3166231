/**
 * The auditor of units: told of everything that gate, queue and ledger have done, it keeps its own books and says at once
 * what must not be. It trusts no figure of theirs.
 */
import type { SegmentLoad } from '../domain/gate/plan-load.ts';
import type { Move } from '../domain/inventory/move.ts';
import type { SettlementOutcome } from '../domain/ledger/decide-settlement.ts';
import type { Release, ReleaseDestination } from '../domain/ledger/release.ts';
import type { Claim } from '../domain/order/claim.ts';
import type { SaleDraft } from '../domain/sale/sale.ts';
import type { ClaimOutcome, ClaimRequest, Credit, GateCall } from '../ports/gate.ts';
import type { AllotResult, OpenEpochRequest } from '../ports/inventory-centre.ts';
import type { SaleQuota } from '../ports/sales.ts';
import {
  addClaim,
  addTo,
  type Books,
  type ClaimRecord,
  claimsOf,
  isBeyondCut,
  isNamed,
  nameOfClaim,
  nameOfQuota,
  nameOfSegment,
  openBooks,
  quotasOf,
  recordOf,
  type SegmentBook,
  sheetOf,
  unitsOfBuyer,
  wayBackOf,
} from './books.ts';
import { createOrderAuditor, type OrderAuditor } from './order-auditor.ts';
import { createReturnAuditor, type ReturnAuditor } from './return-auditor.ts';
import type { Report } from './violation.ts';
import { createWalletAuditor, type WalletAuditor } from './wallet-auditor.ts';

export interface Auditor {
  readonly books: Books;
  readonly orders: OrderAuditor;
  readonly returns: ReturnAuditor;
  readonly wallet: WalletAuditor;
  /** True when something was done since this was last asked. */
  takeDirty(): boolean;

  saleCreated(draft: SaleDraft, quotas: readonly SaleQuota[]): void;
  allotted(result: AllotResult): void;
  moveFinished(moveId: string): void;
  releaseFinished(releaseId: string): void;
  epochOpened(request: OpenEpochRequest): void;
  settled(claims: readonly Claim[], outcomes: readonly SettlementOutcome[]): void;
  quarantined(claim: Claim, reason: string): void;

  claimed(call: GateCall, requests: readonly ClaimRequest[], outcomes: readonly ClaimOutcome[]): void;
  credited(call: GateCall, credit: Credit): void;
  released(call: GateCall, claim: Claim, destination: ReleaseDestination): void;
  loaded(call: GateCall, load: SegmentLoad): void;
  /** Whatever it remembers, nothing of it counts before it is loaded again. */
  gateRestarted(): void;
  entriesRemoved(claims: readonly Claim[]): void;
}

/** `sometimes` marks what was met; `nowMs` is the gate's clock. */
export interface AuditorParts {
  readonly report: Report;
  readonly sometimes: (mark: string) => void;
  readonly nowMs: () => number;
}

/** Of a claim whose release was written. */
const STATE_ON_ITS_WAY = { quota: 'returning', centre: 'ending' } as const;

export function createAuditor({ report, sometimes, nowMs }: AuditorParts): Auditor {
  const books = openBooks();
  let isDirty = false;
  const touch = () => {
    isDirty = true;
  };
  const orders = createOrderAuditor({ books, report, sometimes, nowMs, touch });
  const wallet = createWalletAuditor({ books, report, sometimes, changed: orders.changed });
  const returns = createReturnAuditor({ books, report, sometimes, touch, gateMoved, moveIssued });

  function segmentBook(name: string): SegmentBook {
    const book = books.segments.get(name) ?? { name, epoch: 0, cuts: [], dueAtLoad: new Map(), gate: null };
    books.segments.set(name, book);
    return book;
  }

  /** The gate that a call moved something at; a call that should have moved nothing is reported. */
  function gateMoved(call: GateCall, subject: string): NonNullable<SegmentBook['gate']> | null {
    isDirty = true;
    returns.mayMove(subject, 'at a gate');
    if (nowMs() > call.deadlineMs) report('a late call moves nothing', subject, `deadline ${call.deadlineMs}`);
    const { gate } = segmentBook(nameOfSegment(call.segment));
    if (gate === null) report('a gate that was not loaded moves nothing', subject, `as ${call.identity}`);
    else if (gate.identity !== call.identity) report('a call for another server moves nothing', subject, call.identity);
    return gate;
  }

  function claimTaken(call: GateCall, claim: Claim): void {
    const record = recordOf(claim);
    const gate = gateMoved(call, claim.orderId);
    if (books.claims.has(record.id)) report('a claim has its place for itself', claim.orderId, record.id);
    for (const other of claimsOf(books, claim.orderId)) {
      const isLive = other.state === 'open' || other.state === 'ordered';
      if (isLive) report('one token, one claim', claim.orderId, other.id);
      sometimes('second-claim');
    }
    if (isBeyondCut(segmentBook(record.segment), claim.origin)) record.state = 'void';
    addClaim(books, record);
    const taken = unitsOfBuyer(books, claim.buyerId);
    if (taken > (books.draft?.limitUnits ?? 0)) report('no buyer passes the limit', claim.orderId, `${taken} units`);
    if (gate) addTo(gate.available, record.quota, -claim.units);
  }

  function moveIssued({ id, quota, units }: Move): void {
    if (books.moves.has(id)) return;
    isDirty = true;
    if (wayBackOf(books) !== 'quota') report('nothing goes out of a closed sale', id, `${units} units`);
    books.moves.set(id, { id, quota: nameOfQuota(quota), units, state: 'inTransit' });
  }

  /** A claim that became no order: its units go back once, unless a rebuild has put them back already. */
  function claimEnded(record: ClaimRecord, release: Release | null): void {
    const { orderId } = record.claim;
    if (record.state === 'void') {
      if (release) report('a void claim gives nothing back', orderId, record.id);
      sometimes('stale-refused');
      record.state = 'over';
    } else if (record.state === 'open') {
      if (!release) report('a claim that ends gives its units back', orderId, record.id);
      const way = release?.destination ?? null;
      if (release && way !== wayBackOf(books))
        report('what is freed goes where its sale says', orderId, `to the ${way}`);
      if (way === 'centre') {
        sometimes('release-to-centre');
        addTo(books.returned, record.quota, record.claim.units);
      }
      record.state = way === null ? 'over' : STATE_ON_ITS_WAY[way];
    } else report('a claim ends once', orderId, `${record.id} is ${record.state}`);
  }

  function outcomeMet(outcome: SettlementOutcome): void {
    const { claim } = outcome;
    const id = nameOfClaim(claim.orderId, claim.origin);
    const record = books.claims.get(id);
    if (!record) {
      report('what is settled was claimed', claim.orderId, id);
    } else if (outcome.kind === 'settled') {
      orders.accepted(outcome.order, record, outcome.release);
    } else if (outcome.kind === 'repeated') {
      sometimes('settled-again');
      const isNew = record.state === 'open' || record.state === 'void';
      if (isNew) report('only what is settled is settled again', claim.orderId, record.state);
    } else if (outcome.kind === 'revived') {
      orders.revived(outcome.order, record, outcome.release);
    } else {
      if (outcome.kind === 'refused') orders.refused(outcome.order);
      else if (outcome.release) sometimes('second-claim-released');
      // A void second claim leaves no row, so it is met as new each time; it has nothing to give back.
      const isMetAgain = outcome.kind === 'second_claim' && record.state === 'over' && outcome.release === null;
      if (!isMetAgain) claimEnded(record, outcome.release);
    }
  }

  return {
    books,
    orders,
    returns,
    wallet,
    takeDirty() {
      const was = isDirty;
      isDirty = false;
      return was;
    },

    saleCreated(draft, quotas) {
      books.draft = draft;
      books.totalUnits = draft.totalUnits;
      for (const quota of quotas) segmentBook(nameOfSegment({ ...quota, saleId: draft.id }));
    },

    allotted(result) {
      if (result.kind === 'allotted') moveIssued(result.move);
    },

    moveFinished(moveId) {
      const move = books.moves.get(moveId);
      if (!move) report('what arrives was sent', moveId, 'an unknown move');
      else if (move.state === 'inTransit') report('a move is finished after it arrived', moveId, move.state);
    },

    releaseFinished(releaseId) {
      isDirty = true;
      const isOpen = [...books.claims.values()].some((each) => {
        const isUnderWay = each.state === 'returning' || each.state === 'ending';
        return isUnderWay && isNamed(each, releaseId);
      });
      if (isOpen) report('a release is finished after it arrived', releaseId, 'still on its way');
    },

    epochOpened({ segment: key, fromEpoch, cutThrough }) {
      isDirty = true;
      sometimes('epoch-opened');
      returns.mayMove(null, 'an epoch opens');
      const segment = segmentBook(nameOfSegment(key));
      if (fromEpoch !== segment.epoch) report('epochs follow each other', null, `${fromEpoch} after ${segment.epoch}`);
      segment.epoch += 1;
      segment.cuts.push({ epoch: segment.epoch, through: cutThrough });
      for (const move of books.moves.values()) {
        if (!move.quota.startsWith(`${segment.name} `) || move.state !== 'inTransit') continue;
        sometimes('move-absorbed');
        move.state = 'absorbed';
      }
      for (const record of books.claims.values()) {
        if (record.segment !== segment.name) continue;
        if (record.state === 'returning' || record.state === 'ending') record.state = 'over';
        if (record.state !== 'open') continue;
        if (isBeyondCut(segment, record.claim.origin)) record.state = 'void';
        else sometimes('claim-counted-by-rebuild');
      }
      returns.voidAll(segment);
      segment.dueAtLoad.clear();
      for (const quota of quotasOf(books, segment)) {
        const { allotted, claimed, held, sold } = sheetOf(books, segment, quota);
        segment.dueAtLoad.set(quota, allotted - claimed - held - sold);
      }
    },

    settled(claims, outcomes) {
      isDirty = true;
      if (outcomes.length !== claims.length) report('each claim has its outcome', null, `${outcomes.length}`);
      for (const outcome of outcomes) outcomeMet(outcome);
    },

    quarantined(claim, reason) {
      report('no claim is beyond settling', claim.orderId, reason);
    },

    claimed(call, requests, outcomes) {
      for (const [at, outcome] of outcomes.entries()) {
        const { orderId, isForLateMoney } = requests[at] ?? {};
        if (isForLateMoney && orderId) orders.reclaimed(orderId, outcome.kind);
        if (outcome.kind === 'claimed') claimTaken(call, outcome.claim);
        else sometimes(outcome.kind === 'replayed' ? 'claim-replayed' : `gate-said-${outcome.kind}`);
      }
    },

    credited(call, credit) {
      const gate = gateMoved(call, credit.moveId);
      const move = books.moves.get(credit.moveId);
      if (move?.state !== 'inTransit') report('a move arrives once', credit.moveId, move?.state ?? 'unknown');
      if (move && move.units !== credit.units) report('what arrives was sent', credit.moveId, `${credit.units} units`);
      if (move) move.state = 'arrived';
      if (gate && move) addTo(gate.available, move.quota, credit.units);
    },

    released(call, claim, destination) {
      const gate = gateMoved(call, claim.orderId);
      const record = books.claims.get(nameOfClaim(claim.orderId, claim.origin));
      const due = record?.state === 'ending' ? 'centre' : 'quota';
      const isDue = record?.state === 'returning' || record?.state === 'ending';
      if (!isDue) report('a claim is released once', claim.orderId, record?.state ?? 'unknown');
      if (due !== destination) report('a release keeps its destination', claim.orderId, `to the ${destination}`);
      sometimes('release-delivered');
      if (record) record.state = 'over';
      if (gate && record && due === 'quota') addTo(gate.available, record.quota, record.claim.units);
    },

    loaded(call, load) {
      isDirty = true;
      returns.mayMove(null, 'a load');
      const segment = segmentBook(nameOfSegment(load.segment));
      if (nowMs() > call.deadlineMs) report('a late call moves nothing', null, `load of epoch ${load.epoch}`);
      if (segment.gate && segment.gate.epoch >= load.epoch) {
        report('a load is of a higher epoch', null, `${load.epoch} after ${segment.gate.epoch}`);
      }
      const available = new Map<string, number>();
      for (const [channel, units] of load.availableUnits)
        available.set(nameOfQuota({ ...load.segment, channel }), units);
      segment.gate = { identity: call.identity, epoch: load.epoch, available };
      if (load.epoch !== segment.epoch) return;
      for (const [quota, due] of segment.dueAtLoad) {
        const units = available.get(quota) ?? 0;
        if (units !== due) report('a load has what no order and no claim has', null, `${units} instead of ${due}`);
      }
      if (load.epoch > 1) sometimes('rebuild-happened');
    },

    gateRestarted() {
      isDirty = true;
      for (const segment of books.segments.values()) segment.gate = null;
    },

    entriesRemoved(claims) {
      for (const claim of claims) {
        const record = books.claims.get(nameOfClaim(claim.orderId, claim.origin));
        if (record?.state === 'open' || record?.state === 'void') {
          report('an entry stays until the ledger has it', claim.orderId, record.id);
        }
      }
    },
  };
}
