/**
 * Named worlds, and the swarm: each seed of it first draws which kinds of fault it has at all, so that some worlds have one
 * kind alone, strongly, and some have none. Each names what its seeds, taken together, must have met.
 */
import { type Drawing, type Faults, NO_FAULTS_AT_ALL, type Period, type Restart } from './plan.ts';
import type { Random } from './random.ts';
import { NO_FAULTS, type WireFaults } from './wire.ts';

export interface Scenario extends Drawing {
  /** What must have been seen in a run of many seeds, or the run has not tested what it claims to. */
  readonly marks: readonly string[];
}

/** A run of fewer seeds is not blamed for what it has not seen. */
export const SEEDS_FOR_ALL_MARKS = 500;

/** The strongest that a chance is drawn: more, and nothing gets done before the world heals. */
const STRONGEST = 0.2;

function strength(random: Random): number {
  return random.whole(1, 100) * (STRONGEST / 100);
}

function drawTimes(random: Random, healsMs: number, max: number): readonly number[] {
  return Array.from({ length: random.whole(1, max) }, () => random.whole(0, healsMs));
}

function drawPeriods(random: Random, healsMs: number, max: number): readonly Period[] {
  return drawTimes(random, healsMs, max).map((fromMs) => ({
    fromMs,
    toMs: Math.min(healsMs, fromMs + random.whole(100, 3_000)),
  }));
}

function drawRestarts(random: Random, healsMs: number, max: number): readonly Restart[] {
  return drawTimes(random, healsMs, max).map((atMs) => ({
    atMs,
    memory: random.pick(['lost', 'kept', 'older']),
    rememberedMs: Math.max(0, atMs - random.whole(0, 2_000)),
  }));
}

/** As long as a host may stop a process, beyond the time after which its entries are another's. */
function drawStalls(random: Random, healsMs: number, max: number): readonly Period[] {
  return drawTimes(random, healsMs, max).map((fromMs) => ({ fromMs, toMs: fromMs + random.whole(100, 12_000) }));
}

function lossy(random: Random): WireFaults {
  return {
    ...NO_FAULTS,
    unsent: random.chance(0.5) ? strength(random) : 0,
    requestLost: random.chance(0.5) ? strength(random) : 0,
    replyLost: random.chance(0.5) ? strength(random) : 0,
    duplicated: random.chance(0.5) ? strength(random) : 0,
    slow: random.chance(0.5) ? strength(random) : 0,
    slowMs: random.whole(50, 4_000),
  };
}

function waiting(random: Random): WireFaults {
  return { ...NO_FAULTS, slow: random.whole(10, 60) / 100, slowMs: random.whole(1_000, 6_000) };
}

/** So slow that buyers are told `queued`, and can cancel before their order is settled. */
function hardlySettling(random: Random): WireFaults {
  return { ...NO_FAULTS, slow: random.whole(80, 100) / 100, slowMs: random.whole(5_000, 25_000) };
}

/** One kind of fault, drawn. */
const KINDS: readonly DrawKind[] = [
  (random) => ({ gate: lossy(random) }),
  (random) => ({ ledger: lossy(random) }),
  (random) => ({ settlement: waiting(random) }),
  (random) => ({ buyer: lossy(random) }),
  (random) => ({ hintsLost: random.whole(1, 10) / 10 }),
  (random, healsMs) => ({ deaths: drawTimes(random, healsMs, 4) }),
  (random, healsMs) => ({ restarts: drawRestarts(random, healsMs, 3) }),
  (random, healsMs) => ({ stalls: drawStalls(random, healsMs, 3) }),
  (random, healsMs) => ({ gateOutages: drawPeriods(random, healsMs, 2) }),
  (random, healsMs) => ({ ledgerOutages: drawPeriods(random, healsMs, 2) }),
  (random, healsMs) => ({ pauses: drawPeriods(random, healsMs, 1) }),
  (random) => ({ skewMs: random.whole(0, 200) }),
];

type DrawKind = (random: Random, healsMs: number) => Partial<Faults>;

function drawSwarm(random: Random, healsMs: number): Faults {
  let faults = NO_FAULTS_AT_ALL;
  if (random.chance(0.05)) return faults;
  for (const drawKind of KINDS) {
    const drawn = drawKind(random, healsMs);
    if (random.chance(0.35)) faults = { ...faults, ...drawn };
  }
  const callerDies = random.chance(0.2) ? strength(random) / 4 : 0;
  return { ...faults, gate: { ...faults.gate, callerDies }, ledger: { ...faults.ledger, callerDies } };
}

function drawStorm(random: Random, healsMs: number): Faults {
  let faults = NO_FAULTS_AT_ALL;
  for (const drawKind of KINDS) faults = { ...faults, ...drawKind(random, healsMs) };
  const callerDies = strength(random) / 4;
  return { ...faults, gate: { ...faults.gate, callerDies }, ledger: { ...faults.ledger, callerDies } };
}

/** Few faults, so that the lives get somewhere: what hurts them most is a slow settlement, a lost gate, a lost answer. */
function drawOrderLife(random: Random, healsMs: number): Faults {
  return {
    ...NO_FAULTS_AT_ALL,
    settlement: random.chance(0.4) ? hardlySettling(random) : NO_FAULTS,
    buyer: random.chance(0.5) ? lossy(random) : NO_FAULTS,
    gate: random.chance(0.3) ? lossy(random) : NO_FAULTS,
    ledger: random.chance(0.3) ? lossy(random) : NO_FAULTS,
    restarts: random.chance(0.4) ? drawRestarts(random, healsMs, 2) : [],
    deaths: random.chance(0.3) ? drawTimes(random, healsMs, 2) : [],
    stalls: random.chance(0.4) ? drawStalls(random, healsMs, 2) : [],
  };
}

/** The wallet suffers most: lost answers, late calls, silence. */
function drawExchange(random: Random, healsMs: number): Faults {
  const wallet = lossy(random);
  return {
    ...drawOrderLife(random, healsMs),
    wallet: { ...wallet, replyLost: random.whole(0, 40) / 100, slow: random.whole(0, 60) / 100 },
    ledgerOutages: random.chance(0.2) ? drawPeriods(random, healsMs, 1) : [],
  };
}

/** What comes between a debit and its finish: lost answers, crashes, a gate that is lost. */
function drawEnding(random: Random, healsMs: number): Faults {
  return {
    ...NO_FAULTS_AT_ALL,
    settlement: random.chance(0.3) ? waiting(random) : NO_FAULTS,
    buyer: random.chance(0.3) ? lossy(random) : NO_FAULTS,
    gate: random.chance(0.5) ? lossy(random) : NO_FAULTS,
    ledger: random.chance(0.6) ? { ...lossy(random), requestLost: random.whole(5, 40) / 100 } : NO_FAULTS,
    restarts: random.chance(0.6) ? drawRestarts(random, healsMs, 4) : [],
    deaths: random.chance(0.4) ? drawTimes(random, healsMs, 3) : [],
    stalls: random.chance(0.3) ? drawStalls(random, healsMs, 2) : [],
  };
}

/** What comes between an event and its receiver: lost answers, processes that die or stall with a delivery in hand. */
function drawTold(random: Random, healsMs: number): Faults {
  return {
    ...NO_FAULTS_AT_ALL,
    receiver: random.chance(0.8) ? { ...lossy(random), replyLost: strength(random) } : NO_FAULTS,
    ledger: random.chance(0.5) ? lossy(random) : NO_FAULTS,
    deaths: random.chance(0.5) ? drawTimes(random, healsMs, 3) : [],
    stalls: random.chance(0.3) ? drawStalls(random, healsMs, 2) : [],
  };
}

export const SCENARIOS = {
  swarm: {
    drawFaults: drawSwarm,
    lifeChance: 0.3,
    marks: [
      ...['rebuild-happened', 'gate-lost', 'gate-kept', 'gate-older', 'process-died', 'process-stalled'],
      ...['claim-replayed', 'credit-repeated', 'settled-again', 'worker-took-over', 'request-duplicated'],
      ...[
        'ledger-reply-lost',
        'gate-reply-lost',
        'outcome-unknown',
        'read-still',
        'accepted-unclear',
        'accepted-queued',
      ],
      ...['accepted-pending', 'refused-none_left_now', 'refused-not_enough_left', 'refused-over_limit', 'refused-over'],
      ...['refused-content_differs', 'refused-paused', 'refused-not_ready', 'refused-busy', 'refused-sold_out'],
      'refused-too_early',
    ],
  },
  calm: {
    drawFaults: () => NO_FAULTS_AT_ALL,
    lifeChance: 0,
    marks: ['claim-replayed', 'accepted-pending', 'refused-none_left_now', 'refused-over_limit', 'read-still'],
  },
  'lost-answers': {
    lifeChance: 0,
    drawFaults: (random) => ({
      ...NO_FAULTS_AT_ALL,
      gate: { ...lossy(random), slow: random.whole(5, 30) / 100, slowMs: random.whole(1_000, 5_000) },
      ledger: lossy(random),
      buyer: lossy(random),
    }),
    marks: ['claim-replayed', 'late-call', 'gate-reply-lost', 'ledger-reply-lost', 'accepted-unclear'],
  },
  'worker-crash': {
    lifeChance: 0,
    drawFaults: (random, healsMs) => ({
      ...NO_FAULTS_AT_ALL,
      gate: { ...NO_FAULTS, callerDies: strength(random) },
      ledger: { ...NO_FAULTS, callerDies: strength(random) },
      deaths: drawTimes(random, healsMs, 4),
    }),
    marks: ['process-died', 'worker-took-over', 'settled-again', 'claim-replayed'],
  },
  'gate-loss': {
    lifeChance: 0,
    drawFaults: (random, healsMs) => ({
      ...NO_FAULTS_AT_ALL,
      settlement: { ...NO_FAULTS, slow: random.whole(30, 90) / 100, slowMs: random.whole(2_000, 6_000) },
      buyer: lossy(random),
      restarts: drawRestarts(random, healsMs, 4),
      stalls: drawStalls(random, healsMs, 2),
    }),
    marks: [
      ...['gate-lost', 'gate-kept', 'gate-older', 'rebuild-happened', 'claim-counted-by-rebuild', 'stale-refused'],
      ...['second-claim', 'second-claim-released', 'release-delivered', 'accepted-refused', 'accepted-queued'],
    ],
  },
  'ledger-faults': {
    lifeChance: 0,
    drawFaults: (random, healsMs) => ({
      ...NO_FAULTS_AT_ALL,
      ledger: lossy(random),
      ledgerOutages: drawPeriods(random, healsMs, 2),
    }),
    marks: ['ledger-reply-lost', 'settled-again', 'refused-busy'],
  },
  'order-life': {
    drawFaults: drawOrderLife,
    lifeChance: 1,
    marks: [
      ...['order-expired', 'order-cancelled', 'order-paid', 'order-paid_unfulfilled', 'order-refunded'],
      ...['cancel-parked', 'cancelled-while-queued', 'cancel-repeated', 'cancel-wrong_state'],
      ...['paid-after-expiry', 'paid-after-cancel', 'revived', 'gave-up-reclaim', 'notice-repeated'],
      ...['noted-paid-parked', 'parked-payment-applied', 'noted-paid-refund_due', 'noted-failed-applied'],
      ...['noted-refunded-parked', 'refund-before-payment', 'noted-refunded-applied', 'surplus-refunded'],
      ...['end-and-payment-at-once', 'release-delivered', 'refused-sold_out'],
    ],
  },
  events: {
    drawFaults: drawTold,
    lifeChance: 1,
    isTold: true,
    marks: [
      ...['told-order.settled', 'told-order.paid', 'told-order.expired', 'told-order.refunded'],
      ...['event-again', 'event-unanswered', 'process-died'],
    ],
  },
  'gift-pack': {
    drawFaults: drawOrderLife,
    lifeChance: 1,
    offer: { kind: 'gift_pack', items: [{ itemId: 'sword', quantity: 1 }], price: null },
    marks: ['order-paid', 'order-cancelled', 'cancelled-while-queued', 'cancel-wrong_state', 'order-refunded'],
  },
  exchange: {
    drawFaults: drawExchange,
    lifeChance: 1,
    offer: { kind: 'exchange', items: [{ itemId: 'sword', quantity: 1 }], price: { points: 10 } },
    marks: [
      ...['charged', 'charge-repeated', 'charged-after-end', 'charge-refused-insufficient_points'],
      ...['charge-refused-given_back', 'cancelled-by-refusal', 'charge-given-up', 'refund-refunded'],
      ...['refund-nothing_taken', 'wallet-reply-lost', 'revived', 'order-paid', 'order-expired', 'order-refunded'],
    ],
  },
  ending: {
    drawFaults: drawEnding,
    lifeChance: 1,
    operatorChance: 1,
    marks: [
      ...['sale-closed', 'sale-settled', 'settle-refused', 'release-to-centre', 'freed-on-paper'],
      ...['return-debited', 'return-of-nothing', 'debit-repeated', 'return-void', 'return-void-after-debit'],
      ...['told-withdrawn', 'told-repeated', 'told-not_enough', 'told-unfinished'],
      ...['withdrawal-open', 'withdrawal-refused', 'late-money-after-settlement', 'refused-closed'],
    ],
  },
  group: {
    isGrouped: true,
    lifeChance: 0,
    drawFaults: (random, healsMs) =>
      random.chance(0.4)
        ? NO_FAULTS_AT_ALL
        : {
            ...NO_FAULTS_AT_ALL,
            gate: { ...lossy(random), slow: random.whole(20, 60) / 100, slowMs: random.whole(50, 700) },
            restarts: drawRestarts(random, healsMs, 6),
          },
    marks: ['group-limit-at-gate', 'group-limit-passed-at-gate', 'group-limit-in-ledger', 'gate-lost', 'gate-kept'],
  },
  segments: {
    drawFaults: (random, healsMs) => (random.chance(0.3) ? drawSwarm(random, healsMs) : drawEnding(random, healsMs)),
    isDivided: true,
    lifeChance: 0.5,
    operatorChance: 0.3,
    marks: [
      ...['return-went-on', 'return-of-nothing', 'debit-repeated'],
      ...['move-absorbed', 'credit-repeated', 'rebuild-happened', 'process-died', 'release-delivered'],
      ...['refused-sold_out', 'refused-none_left_now', 'refused-not_enough_left', 'claim-replayed'],
    ],
  },
  storm: {
    drawFaults: drawStorm,
    lifeChance: 0.3,
    operatorChance: 0.3,
    marks: ['rebuild-happened', 'process-died', 'request-duplicated'],
  },
} as const satisfies Record<string, Scenario>;

export type ScenarioName = keyof typeof SCENARIOS;
