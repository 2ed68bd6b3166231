/** Everything that a world holds: the site with its stores, and the auditors who watch both. */
import { createMemoryLedger } from '../adapters/memory/ledger.ts';
import { createMemoryWallet } from '../adapters/memory/wallet.ts';
import type { Clock } from '../ports/clock.ts';
import { type AnswerAuditor, createAnswerAuditor } from './answer-auditor.ts';
import { type Auditor, createAuditor } from './auditor.ts';
import { type BackEnd, createBackEnd } from './back-end.ts';
import { SALE_ID } from './buyers.ts';
import { compareStores } from './compare-stores.ts';
import type { BuildEngine } from './engine-under-test.ts';
import { createGateServer, type Stores } from './gate-server.ts';
import { createGroupAuditor } from './group-auditor.ts';
import { SIGNING_KEY } from './launch-process.ts';
import { judgeMoney, readPayments } from './money-auditor.ts';
import { type Faults, NO_FAULTS_AT_ALL, type Plan } from './plan.ts';
import { createProcess, serverClock, WORLD_BEGINS_MS } from './process.ts';
import { createReceiver, type Receiver } from './receiver.ts';
import { auditorOfSale } from './sale-beside.ts';
import { createPlainSigner } from './signer.ts';
import { createSite, type Site } from './site.ts';
import type { Report } from './violation.ts';
import type { World } from './world.ts';

export interface Setting {
  readonly world: World;
  readonly plan: Plan;
  readonly report: Report;
}

export interface Room extends Setting {
  readonly auditor: Auditor;
  readonly answers: AnswerAuditor;
  /** As they are, without wires. */
  readonly stores: Stores;
  readonly site: Site;
  readonly backEnd: BackEnd;
  /** Null: nobody is told of events. */
  readonly receiver: Receiver | null;
  heal(): void;
}

/** What is put to the test. */
export interface UnderTest {
  /** Puts an engine together: the one of compose/, so that what runs here is what runs for a user. */
  readonly buildEngine: BuildEngine;
  /** Stores with an error in them, to prove that the auditors find it. */
  readonly plant?: (stores: Stores, clock: Clock) => Stores;
}

/** Some cannot pay: of them all, every third buyer of a number; who comes last, to buy what is left, can. */
function initialPoints(buyerId: string): number {
  const isPoor = /^b\d*[369]\|$/.test(buyerId);
  return isPoor ? 5 : 1_000;
}

export function furnish({ world, plan, report }: Setting, { buildEngine, plant }: UnderTest): Room {
  const clock = serverClock(world);
  const server = createGateServer(clock, createProcess(world, 'server', 0).idSource);
  const plain: Stores = {
    ...server,
    ledger: createMemoryLedger({ clock }),
    wallet: createMemoryWallet({ initialPoints }),
  };
  const stores = plant?.(plain, clock) ?? plain;
  const { sometimes } = world;
  const auditor = auditorOfSale(createAuditor({ report, sometimes, nowMs: clock.nowMs }), SALE_ID);
  const group = plan.isGrouped ? createGroupAuditor({ limitUnits: plan.limitUnits, report, sometimes }) : null;
  const answers = createAnswerAuditor({
    ...{ books: auditor.books, signer: createPlainSigner(SIGNING_KEY), report },
    ...{ sometimes, beginsMs: WORLD_BEGINS_MS, nowMs: world.nowMs },
    isOrderBeside: (orderId, buyerId) => group?.isOrderOf(orderId, buyerId) ?? false,
  });
  let faults: Faults = plan.faults;
  const watch = { auditor, answers, group, sometimes };
  const receiver = plan.isTold ? createReceiver({ ledger: stores.ledger, report, sometimes }) : null;
  const site = createSite({ world, plan, faults: () => faults, stores, watch, report, buildEngine, receiver });
  const backEnd = createBackEnd({ world, site, plan, answers });
  const heal = () => {
    world.note('everything heals');
    faults = NO_FAULTS_AT_ALL;
  };
  return { world, plan, report, auditor, answers, stores, site, backEnd, receiver, heal };
}

/** After a step that moved something: the stores are held against the books. */
export function audit(room: Room): Promise<void> | null {
  return room.auditor.takeDirty() ? compare(room) : null;
}

async function compare({ auditor, answers, stores, report }: Room): Promise<void> {
  answers.look();
  for (const orderId of auditor.orders.takeTouched()) {
    await readPayments(auditor.books, stores.ledger.orders, { orderId, report });
    judgeMoney(auditor.books, orderId, report);
    const order = await stores.ledger.orders.find(orderId);
    const booked = auditor.books.orders.get(orderId);
    if (order?.state !== booked?.state)
      report('an order is what was done to it', orderId, `${order?.state}, not ${booked?.state}`);
  }
  const stock = await stores.ledger.inventoryCentre.stock(SALE_ID, []);
  if (!stock) return auditor.books.draft ? report('a sale stays', null, 'it is gone') : undefined;
  const views = await Promise.all(stock.segments.map((segment) => stores.gate.read(segment)));
  compareStores(auditor.books, { stock, views: views.filter((view) => view !== null) }, report);
}
