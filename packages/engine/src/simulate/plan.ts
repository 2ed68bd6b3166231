/** What a seed decides before its world begins: how big it is, and which faults it has. */
import { type Offer, plainOffer } from '../domain/sale/offer.ts';
import type { Memory } from './gate-server.ts';
import type { Random } from './random.ts';
import { NO_FAULTS, type WireFaults } from './wire.ts';

/** [from, to) since the world began. */
export interface Period {
  readonly fromMs: number;
  readonly toMs: number;
}

/** When the gate's server is restarted, and with which of its memory. */
export interface Restart {
  readonly atMs: number;
  readonly memory: Memory;
  /** With an older one: of when. */
  readonly rememberedMs: number;
}

export interface Faults {
  /** From a process to gate and queue, which are one server. */
  readonly gate: WireFaults;
  readonly ledger: WireFaults;
  /** Settlement alone, beside what the ledger suffers: its transactions wait for locks. */
  readonly settlement: WireFaults;
  /** From a process to the wallet. */
  readonly wallet: WireFaults;
  /** From a process to the receiver of events. */
  readonly receiver: WireFaults;
  /** From a buyer to a process. */
  readonly buyer: WireFaults;
  readonly hintsLost: number;
  /** When a process dies. It comes back. */
  readonly deaths: readonly number[];
  readonly stalls: readonly Period[];
  readonly restarts: readonly Restart[];
  /** While nothing can be sent there. */
  readonly gateOutages: readonly Period[];
  readonly ledgerOutages: readonly Period[];
  /** While the sale is paused. */
  readonly pauses: readonly Period[];
  /** How far the wall clock of a process may be off. */
  readonly skewMs: number;
}

/** What becomes of orders after settlement. */
export interface Life {
  readonly holdMs: number;
  /** From the back end to a process: the chance that a notice is said again, and how long one may take to be sent. */
  readonly notices: { readonly repeated: number; readonly slowMs: number };
}

/** Stock that comes, or, below zero, is withdrawn. */
export interface Errand {
  readonly atMs: number;
  readonly units: number;
}

/** What an operator does while the sale sells. */
export interface Operations {
  readonly errands: readonly Errand[];
  /** Null: the sale stays open. */
  readonly closesMs: number | null;
}

/** The other sale of a group. A keeper comes to it first, so that after a loss it sells before the sale itself is loaded. */
export const SALE_BESIDE_ID = 'beside';

export interface Plan {
  readonly totalUnits: number;
  readonly limitUnits: number;
  readonly buyers: number;
  readonly segments: number;
  /** Each one serves buyers, settles and keeps the sale. */
  readonly processes: number;
  /** The only process is the gate's server, too: it dies with all that the gate has. */
  readonly isEmbedded: boolean;
  readonly startsMs: number;
  readonly endsMs: number;
  /** From here on nothing goes wrong any more. */
  readonly healsMs: number;
  /** Somebody looks at the places of the units all the time. */
  readonly hasOnlooker: boolean;
  readonly offer: Offer;
  /** Null: nobody pays, and no order ends while the world lasts. */
  readonly life: Life | null;
  /** Null: nobody changes stock or closes the sale. */
  readonly operations: Operations | null;
  readonly faults: Faults;
  /** The sale shares its limit with another one, which the same buyers try. */
  readonly isGrouped: boolean;
  /** There is a receiver of events. */
  readonly isTold: boolean;
}

export const NO_FAULTS_AT_ALL: Faults = {
  gate: NO_FAULTS,
  ledger: NO_FAULTS,
  settlement: NO_FAULTS,
  wallet: NO_FAULTS,
  receiver: NO_FAULTS,
  buyer: NO_FAULTS,
  hintsLost: 0,
  deaths: [],
  stalls: [],
  restarts: [],
  gateOutages: [],
  ledgerOutages: [],
  pauses: [],
  skewMs: 0,
};

/** The end of a sale that does not end while its world lasts. */
const NEVER_MS = 3_600_000;

export type DrawFaults = (random: Random, healsMs: number) => Faults;

export interface Drawing {
  readonly drawFaults: DrawFaults;
  /** How many of its worlds go on after settlement: money, cancels, short holds. */
  readonly lifeChance: number;
  /** How many have an operator who brings stock, withdraws some, and closes the sale. */
  readonly operatorChance?: number;
  /** Its sales have several segments; default: one. */
  readonly isDivided?: true;
  readonly offer?: Offer;
  readonly isGrouped?: boolean;
  readonly isTold?: boolean;
}

export function drawPlan(random: Random, drawing: Drawing): Plan {
  const { drawFaults, lifeChance, operatorChance = 0 } = drawing;
  const { offer = plainOffer('sale'), isDivided, isGrouped = false, isTold = false } = drawing;
  const healsMs = random.whole(1_000, 6_000);
  const isEmbedded = random.chance(0.2);
  const faults = drawFaults(random, healsMs);
  const plan: Plan = {
    totalUnits: random.whole(0, 20),
    limitUnits: random.whole(1, 3),
    buyers: random.chance(0.1) ? random.whole(0, 60) : random.whole(0, 20),
    processes: isEmbedded ? 1 : random.whole(1, 3),
    isEmbedded,
    startsMs: random.chance(0.3) ? random.whole(0, 2_000) : 0,
    endsMs: random.chance(0.1) ? random.whole(2_000, healsMs + 2_000) : NEVER_MS,
    healsMs,
    ...{ offer, isGrouped, isTold },
    hasOnlooker: random.chance(0.3),
    faults: isEmbedded ? { ...faults, gate: NO_FAULTS, gateOutages: [] } : faults,
    life: random.chance(lifeChance) ? lifeFor(offer, drawLife(random)) : null,
    operations: random.chance(operatorChance) ? drawOperations(random, healsMs) : null,
    segments: isDivided ? random.whole(2, 4) : 1,
  };
  return plan.operations && !isEmbedded ? withLossAtClose(plan, random) : plan;
}

/** A gate that is lost while its units are on their way back: nothing tests a return harder. */
function withLossAtClose(plan: Plan, random: Random): Plan {
  const { closesMs } = plan.operations ?? { closesMs: null };
  if (closesMs === null || plan.faults.restarts.length === 0) return plan;
  const atMs = Math.min(plan.healsMs, closesMs + random.whole(1, 1_000));
  const restart: Restart = { atMs, memory: random.pick(['lost', 'older']), rememberedMs: Math.max(0, atMs - 500) };
  return { ...plan, faults: { ...plan.faults, restarts: [...plan.faults.restarts, restart] } };
}

/** More is withdrawn than comes, and often more than there is. */
function drawOperations(random: Random, healsMs: number): Operations {
  const errands = Array.from({ length: random.whole(0, 4) }, () => ({
    atMs: random.whole(0, healsMs),
    units: random.chance(0.3) ? random.whole(1, 5) : -random.whole(1, 8),
  }));
  return { errands, closesMs: random.chance(0.8) ? random.whole(0, healsMs) : null };
}

/** A wallet is asked a few times a second: an order that is held for less would never be charged. */
const SHORTEST_EXCHANGE_MS = 700;

function lifeFor({ kind }: Offer, life: Life): Life {
  return kind === 'exchange' ? { ...life, holdMs: Math.max(SHORTEST_EXCHANGE_MS, life.holdMs) } : life;
}

function drawLife(random: Random): Life {
  return {
    // From too short to pay in time, to hardly ever missed.
    holdMs: random.pick([random.whole(20, 300), random.whole(300, 2_000), random.whole(2_000, 4_000)]),
    notices: { repeated: random.whole(0, 40) / 100, slowMs: random.pick([0, 50, random.whole(100, 2_000)]) },
  };
}
