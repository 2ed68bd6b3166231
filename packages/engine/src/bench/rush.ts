/**
 * A rush: a crowd of buyers at a running deployment, and a look at the books when it has left. It drives the deployment over
 * HTTP as everybody else does, and believes nothing that it cannot read there.
 */
import { randomBytes } from 'node:crypto';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { OrderAnswer } from '@sluice/contract';
import { acceptedOrders, acceptedUnits, checkBooks } from './check-books.ts';
import { runClosedLoop } from './closed-loop.ts';
import { planVisits } from './crowd.ts';
import { createDeeds, type Deed, type Deeds } from './deeds.ts';
import { createDeploymentClient } from './deployment-client.ts';
import { createDice } from './dice.ts';
import { createLatencyRecorder } from './latencies.ts';
import { createOperator } from './operator.ts';
import { createPatientCaller, type PatientCaller } from './patient-caller.ts';
import { routes } from './routes.ts';
import type { PaymentCounts, RushOptions, RushProgress, RushReport } from './rush-options.ts';
import {
  type Complaint,
  comeAgain,
  type FoundOrder,
  type Visit,
  type VisitDeps,
  type VisitPlan,
  visitSale,
} from './visit.ts';

export type { RushOptions, RushReport } from './rush-options.ts';
export { CannotRush } from './rush-options.ts';

export async function runRush(options: RushOptions): Promise<RushReport> {
  const startedMs = performance.now();
  const lag = monitorEventLoopDelay({ resolution: 10 });
  const client = createDeploymentClient({ url: options.url, connections: options.concurrency });
  const adminClient = createDeploymentClient({ url: options.adminUrl, connections: 1 });
  const dice = createDice(options.seed);
  const latencies = createLatencyRecorder();
  const counts = { accepted: 0, repeated: 0 };
  const patience = { dice, patienceMs: options.patienceMs, onRetry: () => counts.repeated++ };
  const caller = createPatientCaller({
    ...{ ...patience, client },
    onAnswer: (call, durationMs) => {
      if (call.path.endsWith('/purchases')) latencies.record(durationMs);
    },
  });
  const operator = createOperator(createPatientCaller({ ...patience, client: adminClient }), options.adminKey);
  const tell = (phase: RushProgress['phase'], done: number, total: number) =>
    options.onProgress?.({ phase, done, total, ...counts });

  lag.enable();
  try {
    const runName = `rush-${randomBytes(6).toString('hex')}`;
    const { id: saleId, limitUnits, holdMs } = await operator.saleFor(options.sale, runName);
    const before = await operator.places(saleId);
    const deeds = options.payments ? createDeeds({ ...options.payments, caller, dice }) : null;
    const crowd = {
      ...{ options, deeds },
      ...{ tell, counts },
      deps: { caller, saleId, units: options.units, patienceMs: options.patienceMs },
    };

    const firstVisits = await letThemBuy(crowd, planVisits(options, dice, runName), 'buying');
    const visits = await letOrdersLive(crowd, firstVisits, () => operator.settledPlaces(saleId));
    const winners = visits.filter(isWinner);
    const complaints = await letThemComeAgain(
      crowd,
      winners.filter(() => dice.chance(options.retries)),
    );
    const found = await readOrders(crowd, winners);
    const after = await operator.settledPlaces(saleId);

    const { units } = options;
    const payments = paymentCounts(deeds, found, acceptedOrders(visits).size - acceptedOrders(firstVisits).size);
    return {
      ...{ sale: saleId, seed: options.seed, buyers: options.buyers },
      ...{ attempts: latencies.count(), repeated: counts.repeated, outcomes: outcomesOf(visits) },
      ...{
        latencyMs: latencies.summary(),
        ownLagMs: Math.round(lag.percentile(99) / 1e5) / 10,
        durationMs: Math.round(performance.now() - startedMs),
      },
      ...{ orders: acceptedOrders(visits).size, units: acceptedUnits(visits), payments, places: after },
      violations: checkBooks({
        ...{ saleId, limitUnits, units, before, after, visits, found },
        ...{ complaints: [...complaints, ...(deeds?.complaints ?? [])], deeds: deeds?.byOrder ?? null },
        holdsEnded: holdMs < options.patienceMs,
      }),
    };
  } finally {
    lag.disable();
    await Promise.all([client.close(), adminClient.close()]);
  }
}

interface Crowd {
  readonly options: RushOptions;
  readonly deps: VisitDeps & { readonly caller: PatientCaller };
  readonly counts: { accepted: number };
  readonly tell: (phase: RushProgress['phase'], done: number, total: number) => void;
  /** Null: nobody pays. */
  readonly deeds: Deeds | null;
}

async function letThemBuy(
  crowd: Crowd,
  plans: readonly VisitPlan[],
  phase: RushProgress['phase'],
): Promise<readonly Visit[]> {
  const visits: Visit[] = [];
  await runClosedLoop(plans, crowd.options.concurrency, async (plan) => {
    const visit = await visitSale(crowd.deps, plan);
    visits.push(visit);
    await crowd.deeds?.act(visit);
    crowd.counts.accepted += visit.ends.filter(({ kind }) => kind === 'accepted').length;
    crowd.tell(phase, visits.length, plans.length);
  });
  return visits;
}

/** Beyond the hold itself: the sweeper looks once a second. */
const SWEEP_MS = 5_000;
/** Those who pay late before the units are sold again; the others find what is left. */
const LATE_BEFORE_RESALE = 0.5;

/** Holds end, late money comes, and whoever was sent away comes again for what came back; each of them pays. */
async function letOrdersLive(
  crowd: Crowd,
  visits: readonly Visit[],
  untilStill: () => Promise<unknown>,
): Promise<readonly Visit[]> {
  const { deeds, options, tell } = crowd;
  if (!deeds) return visits;
  const { patienceMs } = options;
  tell('waiting for holds to end', 0, visits.length);
  await deeds.untilEnded(patienceMs + SWEEP_MS);
  await deeds.payLate(LATE_BEFORE_RESALE, patienceMs);
  await untilStill();
  const sentAway = visits.filter((visit) => !isWinner(visit));
  const plans = sentAway.map(({ plan }): VisitPlan => ({ ...plan, secondToken: 'none', intent: 'pays' }));
  const second = await letThemBuy(crowd, plans, 'buying what came back');
  await deeds.payLate(1, patienceMs);
  const again = new Map(second.map((visit) => [visit.plan.buyerId, visit]));
  return visits.map((visit) => joined(visit, again.get(visit.plan.buyerId)));
}

function joined(first: Visit, second: Visit | undefined): Visit {
  if (!second) return first;
  return {
    plan: first.plan,
    ends: [...first.ends, ...second.ends],
    complaints: [...first.complaints, ...second.complaints],
  };
}

function paymentCounts(
  deeds: Deeds | null,
  found: ReadonlyMap<string, FoundOrder | null>,
  resold: number,
): PaymentCounts {
  const all = [...(deeds?.byOrder.values() ?? [])];
  const countOf = (done: Deed['done']) => all.filter((deed) => deed.done === done).length;
  return {
    ...{ paid: countOf('pays'), repeated: deeds?.repeats() ?? 0, neverPaid: countOf('never_pays') },
    ...{ paidLate: countOf('pays_late'), cancelled: countOf('cancels') },
    ...{ refundDue: [...found.values()].filter((order) => order?.status === 'paid_unfulfilled').length, resold },
  };
}

async function letThemComeAgain(crowd: Crowd, winners: readonly Visit[]): Promise<readonly Complaint[]> {
  const complaints: Complaint[] = [];
  let done = 0;
  await runClosedLoop(winners, crowd.options.concurrency, async ({ plan, ends }) => {
    for (const end of ends) complaints.push(...(await comeAgain(crowd.deps, plan, end)));
    crowd.tell('coming again', ++done, winners.length);
  });
  return complaints;
}

/** Each winner reads their own orders. */
async function readOrders(crowd: Crowd, winners: readonly Visit[]): Promise<ReadonlyMap<string, FoundOrder | null>> {
  const found = new Map<string, FoundOrder | null>();
  let done = 0;
  await runClosedLoop(winners, crowd.options.concurrency, async ({ plan, ends }) => {
    for (const end of ends) {
      if (end.kind !== 'accepted') continue;
      const { jwt: bearer, address: clientAddress } = plan;
      const answer = await crowd.deps.caller.ask({
        method: 'GET',
        path: routes.order(end.orderId),
        bearer,
        clientAddress,
      });
      found.set(`${plan.buyerId}/${end.orderId}`, answer?.kind === 'ok' ? (answer.body as OrderAnswer) : null);
    }
    crowd.tell('reading orders', ++done, winners.length);
  });
  return found;
}

function isWinner({ ends }: Visit): boolean {
  return ends.some(({ kind }) => kind === 'accepted');
}

/** A visit with two tokens ended well when one of them did. */
function outcomesOf(visits: readonly Visit[]): Readonly<Record<string, number>> {
  const outcomes: Record<string, number> = {};
  for (const visit of visits) {
    const [first] = visit.ends;
    if (!first) continue;
    const refused = first.kind === 'refused' ? first.reason : first.kind;
    const outcome = isWinner(visit) ? 'accepted' : refused;
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  }
  return outcomes;
}
