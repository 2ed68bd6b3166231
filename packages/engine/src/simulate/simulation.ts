/**
 * One world, from a seed to its verdict: a sale is published, buyers come while things go wrong, then everything heals, and
 * what was promised must have come true within a bound.
 */

import type { SaleDraft } from '../domain/sale/sale.ts';
import { SALE_ID, sendBuyers } from './buyers.ts';
import { judgeTheEnd } from './judge-the-end.ts';
import { sendOperator } from './operator.ts';
import { drawPlan } from './plan.ts';
import { WORLD_BEGINS_MS } from './process.ts';
import { audit, furnish, type Room, type UnderTest } from './room.ts';
import { draftBeside, LIMIT_GROUP, sendBuyersBeside } from './sale-beside.ts';
import { SCENARIOS, type ScenarioName } from './scenarios.ts';
import type { Report, Violation } from './violation.ts';
import { type Barrier, createWorld, type World } from './world.ts';

export interface SimulationOptions extends UnderTest {
  readonly seed: number;
  /** Default: the swarm. */
  readonly scenario?: ScenarioName;
  readonly barrier: Barrier;
}

export interface SimulationResult {
  readonly seed: number;
  readonly scenario: ScenarioName;
  readonly traceHash: string;
  /** Happenings. */
  readonly steps: number;
  readonly virtualMs: number;
  /** Empty when every promise was kept. The world ends at the first step that broke one. */
  readonly violations: readonly Violation[];
  /** How often each mark was met. */
  readonly seen: ReadonlyMap<string, number>;
  /** The world in one line. */
  readonly summary: string;
}

/** What is told with a violation. */
const TRACE_LINES_TOLD = 40;

export async function runSimulation(options: SimulationOptions): Promise<SimulationResult> {
  const scenario = options.scenario ?? 'swarm';
  const violations: Violation[] = [];
  const world: World = createWorld({ seed: options.seed, barrier: options.barrier, afterStep: () => audit(room) });
  const report: Report = (invariant, subject, detail) => {
    world.note(`broken: ${invariant} (${detail})`);
    const trace = world.trace.about(subject, TRACE_LINES_TOLD);
    violations.push({ invariant, subject, detail, atMs: world.nowMs(), trace });
  };
  const plan = drawPlan(world.random.fork(), SCENARIOS[scenario]);
  const room = furnish({ world, plan, report }, options);

  await room.receiver?.open();
  void openSale(room);
  room.site.start();
  const buyersLeft = sendBuyers(room, plan);
  if (plan.isGrouped) sendBuyersBeside(room, plan);
  const errandsLeft = plan.operations ? sendOperator(room, plan.operations) : new Set<string>();
  if (plan.hasOnlooker) void look(room);
  schedule(room);

  const isBroken = () => violations.length > 0;
  await world.run(plan.healsMs, isBroken);
  room.heal();
  await judgeTheEnd(room, { buyersLeft, errandsLeft, isBroken });

  return {
    seed: options.seed,
    scenario,
    traceHash: world.trace.hash(),
    steps: world.steps,
    virtualMs: world.nowMs(),
    violations,
    seen: world.seen,
    summary: `${plan.totalUnits} units in ${plan.segments === 1 ? 'one segment' : `${plan.segments} segments`}, ${plan.buyers} buyers, ${plan.isEmbedded ? 'embedded' : `${plan.processes} processes`}, ${plan.life ? `held for ${plan.life.holdMs} ms` : 'held for ever'}`,
  };
}

/** Longer than any world lasts. */
const LONG_HOLD_MS = 600_000;

/** Creates and publishes the sale, through whatever process answers. */
async function openSale({ world, site, plan }: Room): Promise<void> {
  const draft: SaleDraft = {
    ...{ id: SALE_ID, title: 'A sale', totalUnits: plan.totalUnits, limitUnits: plan.limitUnits },
    ...{ offer: plan.offer, timeZone: 'UTC' },
    ...{ startsAtMs: WORLD_BEGINS_MS + plan.startsMs, endsAtMs: WORLD_BEGINS_MS + plan.endsMs },
    ...{ holdMs: plan.life?.holdMs ?? LONG_HOLD_MS, segments: plan.segments },
    ...(plan.isGrouped && { limitGroup: LIMIT_GROUP }),
  };
  if (plan.isGrouped) void publish({ world, site }, draftBeside(draft));
  await publish({ world, site }, draft);
}

async function publish({ world, site }: Pick<Room, 'world' | 'site'>, draft: SaleDraft): Promise<void> {
  for (;;) {
    const created = await site.ask('to create the sale', (engine) => engine.createSale(draft));
    if (created.kind === 'answer') {
      const published = await site.ask('to publish the sale', (engine) => engine.operateSale(draft.id, 'publish'));
      if (published.kind === 'answer') return;
    }
    await world.sleep(100);
  }
}

const LOOK_EVERY_MS = 500;

/** Looks where the units are, all the time: a reading that claims to be of one moment must add up. */
async function look({ world, site, report }: Room): Promise<void> {
  for (;;) {
    await world.sleep(LOOK_EVERY_MS);
    await site.ask('where the units are', async (engine) => {
      const result = await engine.readPlaces(SALE_ID);
      if (result.kind !== 'read' || !result.reading.isStill) return result;
      world.sometimes('read-still');
      if (!result.reading.isBalanced) {
        report('a still reading is balanced', null, JSON.stringify(result.reading.places));
      }
      return result;
    });
  }
}

function schedule({ world, site, plan, stores }: Room): void {
  const { faults } = plan;
  for (const atMs of faults.deaths) world.after(atMs, site.kill);
  for (const { fromMs, toMs } of faults.stalls) world.after(fromMs, () => site.stall(toMs - fromMs));
  for (const { atMs, memory, rememberedMs } of plan.isEmbedded ? [] : faults.restarts) {
    if (memory === 'older') world.after(rememberedMs, () => void stores.remember());
    world.after(atMs, () => site.restartGate(memory));
  }
  for (const { fromMs, toMs } of faults.pauses) {
    const operate = (operation: 'pause' | 'resume') => {
      world.note(`an operator's ${operation}`);
      void stores.ledger.sales.operate(SALE_ID, operation);
    };
    world.after(fromMs, () => operate('pause'));
    world.after(toMs, () => operate('resume'));
  }
}
