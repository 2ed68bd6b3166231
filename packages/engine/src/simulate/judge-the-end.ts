/**
 * After everything has healed: within a bound all buyers have their answer, the queue is empty and no unit is on its way;
 * then the units that are left can be bought, down to the last one, and the engine's own reading of the places agrees with
 * the books. A unit that nobody can buy is as wrong as one that was sold twice.
 */
import { HOME_REGION, MAIN_CHANNEL } from '../domain/inventory/quota.ts';
import type { Stock } from '../ports/inventory-centre.ts';
import { type ClaimRecord, hasUnits, paymentsOf, quotasOf, sheetOf, unclaimedUnits } from './books.ts';
import { beginTry, pursue, SALE_ID } from './buyers.ts';
import type { Stores } from './gate-server.ts';
import { isMoneyAtRest, judgeMoneyAtRest } from './money-auditor.ts';
import { settle } from './operator.ts';
import type { Room } from './room.ts';

export interface EndParts {
  readonly buyersLeft: ReadonlySet<string>;
  readonly errandsLeft: ReadonlySet<string>;
  readonly isBroken: () => boolean;
}

/**
 * The longest chain after the last fault: a request that is still under way (4 s), a dead reader's lease (3 s), a worker's
 * longest pause (2 s), and a buyer who waited for an answer that never came (8 s).
 */
const CALM_WITHIN_MS = 40_000;
/** A buyer who waits for a receipt and then pays late, with a notice that is slow and said again a few times. */
const LIVES_END_WITHIN_MS = 120_000;
/** A change of the terms may be on its way for as long as its deadline allows, and the keeper's next round mends it. */
const TERMS_ARRIVE_WITHIN_MS = 3_500;
/** A process may call a sale sold out for so long after a unit came back through another. */
const REOPENS_WITHIN_MS = 1_000;
/** A buyer at rest is answered at once; the rest is for verdicts and rounds of the keeper. */
const PROBE_WITHIN_MS = 15_000;
const CHARGES_END_WITHIN_MS = 2_000;
const LOOK_EVERY_MS = 500;

export async function judgeTheEnd(room: Room, { buyersLeft, errandsLeft, isBroken }: EndParts): Promise<void> {
  const left = () => [...buyersLeft, ...errandsLeft];
  const { world, plan, report } = room;
  const deadlineMs = plan.healsMs + CALM_WITHIN_MS + (plan.life ? LIVES_END_WITHIN_MS : 0);
  if (plan.faults.pauses.length > 0) await world.run(plan.healsMs + TERMS_ARRIVE_WITHIN_MS, isBroken);
  while (!isBroken() && !(await isCalm(room, left())) && world.nowMs() < deadlineMs) {
    await world.run(world.nowMs() + LOOK_EVERY_MS, isBroken);
  }
  if (isBroken()) return;
  await nameUnrest(room, left());
  await world.run(world.nowMs() + REOPENS_WITHIN_MS, isBroken);
  for (let number = 1; !isBroken() && (await probe(room, number)) === 'bought'; number++);
  await world.run(world.nowMs() + PROBE_WITHIN_MS, () => isBroken() || areLivesOver(room));
  if (!isBroken()) await judgePoints(room);
  if (isBroken()) return;
  const unclaimed = unclaimedUnits(room.auditor.books);
  if (unclaimed > 0 && !isOver(room)) report('no unit is stranded', null, `${unclaimed} units that nobody can buy`);
  // Where nobody pays, unpaid orders outlast the world.
  if (isClosed(room) && room.plan.life) await judgeSettlement(room, isBroken);
  if (isBroken()) return;
  await readAtRest(room, isBroken);
  if (!isBroken()) await judgeEvents(room, isBroken);
}

/** A dead relay's deliveries are due again when their leases end, and a receiver that failed is left alone for a while. */
const TOLD_WITHIN_MS = 200_000;

async function judgeEvents({ world, receiver, auditor }: Room, isBroken: () => boolean): Promise<void> {
  if (!receiver) return;
  const deadlineMs = world.nowMs() + TOLD_WITHIN_MS;
  while (!isBroken() && !(await receiver.isUpToDate()) && world.nowMs() < deadlineMs)
    await world.run(world.nowMs() + LOOK_EVERY_MS, isBroken);
  if (!isBroken()) await receiver.judgeTheEnd(auditor.books.orders.keys());
}

async function isCalm(room: Room, left: readonly string[]): Promise<boolean> {
  const { stores, auditor, site } = room;
  if (site.isStalled() || !areLivesOver(room) || !(await areChargesOver(room))) return false;
  const stock = await stores.ledger.inventoryCentre.stock(SALE_ID, []);
  const { entries } = await stores.queue.depth();
  if (!stock || left.length > 0 || entries > 0 || (await misplacedUnits(room, stock)) > 0) return false;
  if (openOf(stock).length > 0 || !(await areGatesUpToDate(stores, stock))) return false;
  return ![...auditor.books.claims.values()].some(({ state }) => isUnderWay(state));
}

function isUnderWay(state: ClaimRecord['state']): boolean {
  return state === 'open' || state === 'returning' || state === 'ending';
}

function openOf({ openMoves, openReleases, openReturns, openWithdrawals }: Stock) {
  return [...openMoves, ...openReleases, ...openReturns, ...openWithdrawals];
}

function isClosed({ auditor }: Room): boolean {
  return auditor.books.saleState === 'closed' || auditor.books.saleState === 'settled';
}

/** Of a sale that sells, units that stay at the centre; of a closed one, units that stay at gates. */
async function misplacedUnits(room: Room, { sale, centre, segments }: Stock): Promise<number> {
  if (sale.state === 'settled') return 0;
  if (!isClosed(room)) return centre.freeUnits;
  const views = await Promise.all(segments.map((segment) => room.stores.gate.read(segment)));
  const figures = views.flatMap((view) => [...(view?.availableUnits.values() ?? [])]);
  return figures.reduce((sum, units) => sum + units, 0);
}

/** Nothing is to be said of money any more, and no order is unpaid that will end. */
function areLivesOver({ plan, backEnd, auditor: { books } }: Room): boolean {
  if (!plan.life) return true;
  const isUnpaid = [...books.orders.values()].some(({ state }) => state === 'pending');
  return backEnd.notices === 0 && isMoneyAtRest(books) && !isUnpaid;
}

/** Nothing is to be taken or given back any more. */
async function areChargesOver({ stores }: Room): Promise<boolean> {
  return (await stores.ledger.orders.listCharges(null, 1)).length === 0;
}

/** Loaded on the server that is there, at the ledger's epoch, and told what the sale is. */
async function areGatesUpToDate({ gate }: Stores, { segments, sale }: Stock): Promise<boolean> {
  // Nobody asks the gates of a settled sale any more.
  if (sale.state === 'settled') return true;
  const identities = await Promise.all(segments.map((segment) => gate.identity(segment)));
  const views = await Promise.all(segments.map((segment) => gate.read(segment)));
  return segments.every(({ epoch }, at) => {
    const view = views[at];
    if (!view || view.identity !== identities[at]) return false;
    return view.epoch === epoch && view.terms.state === sale.state;
  });
}

/** Each promise of the end that has not come true. */
async function nameUnrest(room: Room, left: readonly string[]): Promise<void> {
  const { plan, stores, auditor, report } = room;
  for (const name of left) report('every buyer gets an answer', name, 'still asking');
  for (const { claim, state, id } of auditor.books.claims.values()) {
    if (isUnderWay(state)) report('every claim ends', claim.orderId, `${id} is ${state}`);
  }
  for (const { orderId, state } of plan.life ? auditor.books.orders.values() : []) {
    if (state === 'pending') report('every unpaid order ends', orderId, state);
  }
  judgeMoneyAtRest(auditor.books, report);
  const { entries } = await stores.queue.depth();
  if (entries > 0) report('the queue runs empty', null, `${entries} entries`);
  const stock = await stores.ledger.inventoryCentre.stock(SALE_ID, []);
  for (const move of stock?.openMoves ?? []) report('every move arrives', move.id, 'still open');
  for (const release of stock?.openReleases ?? []) report('every release arrives', release.orderId, 'still open');
  for (const move of stock?.openReturns ?? []) report('every return ends', move.id, 'still open');
  for (const withdrawal of stock?.openWithdrawals ?? []) report('every withdrawal ends', withdrawal.id, 'still open');
  const misplaced = stock ? await misplacedUnits(room, stock) : 0;
  if (misplaced > 0) report('units are where their sale needs them', null, `${misplaced} are not`);
  if (stock && !(await areGatesUpToDate(stores, stock))) report('every gate is brought up to date', null, 'one is not');
  if (!stock) report('a sale is created', null, 'there is none');
}

async function judgePoints(room: Room): Promise<void> {
  const { plan, stores, auditor, report, world } = room;
  if (plan.offer.kind !== 'exchange') return;
  // An order that has just been paid, or ended, may still be told of.
  await world.run(world.nowMs() + CHARGES_END_WITHIN_MS, () => false);
  for (const { charge } of await stores.ledger.orders.listCharges(null, 1_000)) {
    report('every charge ends', charge.orderId, `it is ${charge.state}`);
  }
  auditor.wallet.judgeAtRest();
}

/** A buyer who comes when all is quiet, for one unit. */
async function probe(room: Room, number: number): Promise<'bought' | 'refused'> {
  const { world, report, plan } = room;
  const buyer = { buyerId: `probe${number}|`, region: HOME_REGION, channel: MAIN_CHANNEL };
  let result: 'bought' | 'refused' | null = null;
  const random = world.random.fork();
  const visit = async () => {
    const attempt = await beginTry(room, buyer, random);
    const end = attempt && (await pursue(room, { ...attempt, units: 1 }, random));
    const isBought = end?.kind === 'order' && end.status !== 'refused';
    // Unpaid it would come back, and be bought by the next one.
    const isForMoney = plan.offer.kind === 'limited_skin';
    if (isBought && attempt && plan.life && isForMoney)
      await room.backEnd.tell(attempt.orderId, `${attempt.orderId}$probe`, 'paid');
    // Uncharged it would come back, likewise.
    if (isBought && attempt && plan.offer.kind === 'exchange') await untilCharged(room, attempt.orderId);
    result = isBought ? 'bought' : 'refused';
  };
  void visit();
  await world.run(world.nowMs() + PROBE_WITHIN_MS, () => result !== null);
  if (result === null) report('every buyer gets an answer', buyer.buyerId, 'in a quiet world');
  return result ?? 'refused';
}

async function untilCharged({ world, auditor }: Room, orderId: string): Promise<void> {
  while ((auditor.books.orders.get(orderId)?.state ?? 'pending') === 'pending') await world.sleep(LOOK_EVERY_MS);
}

/** By the clock of whoever is asked. */
function isOver(room: Room): boolean {
  const { world, plan } = room;
  return isClosed(room) || world.nowMs() + plan.faults.skewMs >= plan.endsMs;
}

async function readAtRest(room: Room, isBroken: () => boolean): Promise<void> {
  const { world, site, auditor, report } = room;
  let isRead = false;
  const reading = async () => {
    const reply = await site.ask('where the units are at rest', (engine) => engine.readPlaces(SALE_ID));
    isRead = true;
    if (reply.kind === 'none' || reply.answer.kind !== 'read')
      return report('at rest the places can be read', null, '');
    const { places, isBalanced, isStill } = reply.answer.reading;
    const booked = {
      free: auditor.books.totalUnits,
      available: 0,
      claimed: 0,
      inTransit: 0,
      held: 0,
      sold: 0,
      quarantined: 0,
    };
    for (const segment of auditor.books.segments.values()) {
      for (const quota of quotasOf(auditor.books, segment)) {
        const sheet = sheetOf(auditor.books, segment, quota);
        booked.free -= sheet.allotted;
        booked.available += sheet.available ?? 0;
        booked.held += sheet.held;
        booked.sold += sheet.sold;
      }
    }
    const [told, known] = [JSON.stringify(places), JSON.stringify(booked)];
    if (!isBalanced || !isStill || told !== known)
      report('at rest the places agree with the books', null, `${told} ${known}`);
  };
  void reading();
  await world.run(world.nowMs() + PROBE_WITHIN_MS, () => isRead || isBroken());
}

/** A closed sale at rest can be settled; then money still finds its way, and nothing else moves. */
async function judgeSettlement(room: Room, isBroken: () => boolean): Promise<void> {
  const { world, auditor, backEnd, report } = room;
  let said = 'none';
  const settling = async () => {
    for (let tries = 0; said !== 'changed' && said !== 'repeated' && tries < SETTLE_TRIES; tries++) {
      said = await settle(room);
      if (tries > 0) await world.sleep(LOOK_EVERY_MS);
    }
    if (said !== 'changed' && said !== 'repeated') return report('a closed sale at rest is settled', null, said);
    const random = world.random.fork();
    for (const order of [...auditor.books.orders.values()].slice(0, AFTERLIVES)) {
      const { orderId } = order;
      const paid = paymentsOf(auditor.books, orderId).find(({ notice, state }) => {
        return notice.outcome === 'paid' && state === 'applied';
      });
      if (hasUnits(order) && paid) {
        if (random.chance(0.5)) await backEnd.tell(orderId, paid.notice.reference, 'refunded');
      } else {
        world.sometimes('late-money-after-settlement');
        await backEnd.tell(orderId, `${orderId}$after`, 'paid');
      }
    }
    said = 'over';
  };
  void settling();
  await world.run(world.nowMs() + SETTLE_WITHIN_MS, () => isBroken() || said === 'over');
  if (said !== 'over' && !isBroken()) report('a closed sale at rest is settled', null, said);
  // What was sent before and comes late finds a sale that is settled.
  await world.run(world.nowMs() + LATE_CALLS_MS, isBroken);
}

const SETTLE_TRIES = 5;
const SETTLE_WITHIN_MS = 60_000;
const AFTERLIVES = 4;
const LATE_CALLS_MS = 5_000;
