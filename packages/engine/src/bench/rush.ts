/**
 * A rush: a crowd of buyers at a running deployment, and a look at the books when it has left. It drives the deployment over
 * HTTP as everybody else does, and believes nothing that it cannot read there.
 */
import { randomBytes } from 'node:crypto';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { OrderAnswer } from '@sluice/contract';
import { acceptedOrders, acceptedUnits, checkBooks, type FoundOrder } from './check-books.ts';
import { runClosedLoop } from './closed-loop.ts';
import { planVisits } from './crowd.ts';
import { createDeploymentClient } from './deployment-client.ts';
import { createDice } from './dice.ts';
import { createLatencyRecorder } from './latencies.ts';
import { createOperator } from './operator.ts';
import { createPatientCaller, type PatientCaller } from './patient-caller.ts';
import { routes } from './routes.ts';
import type { RushOptions, RushProgress, RushReport } from './rush-options.ts';
import { type Complaint, comeAgain, type Visit, type VisitDeps, type VisitPlan, visitSale } from './visit.ts';

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
    const { id: saleId, limitUnits } = await operator.saleFor(options.sale, runName);
    const before = await operator.places(saleId);
    const crowd = {
      options,
      tell,
      counts,
      deps: { caller, saleId, units: options.units, patienceMs: options.patienceMs },
    };

    const visits = await letThemBuy(crowd, planVisits(options, dice, runName));
    const winners = visits.filter(isWinner);
    const complaints = await letThemComeAgain(
      crowd,
      winners.filter(() => dice.chance(options.retries)),
    );
    const found = await readOrders(crowd, winners);
    const after = await operator.settledPlaces(saleId);

    const { units } = options;
    return {
      ...{ sale: saleId, seed: options.seed, buyers: options.buyers },
      ...{ attempts: latencies.count(), repeated: counts.repeated, outcomes: outcomesOf(visits) },
      ...{
        latencyMs: latencies.summary(),
        ownLagMs: Math.round(lag.percentile(99) / 1e5) / 10,
        durationMs: Math.round(performance.now() - startedMs),
      },
      ...{ orders: acceptedOrders(visits).size, units: acceptedUnits(visits), places: after },
      violations: checkBooks({ saleId, limitUnits, units, before, after, visits, complaints, found }),
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
}

async function letThemBuy(crowd: Crowd, plans: readonly VisitPlan[]): Promise<readonly Visit[]> {
  const visits: Visit[] = [];
  await runClosedLoop(plans, crowd.options.concurrency, async (plan) => {
    const visit = await visitSale(crowd.deps, plan);
    visits.push(visit);
    crowd.counts.accepted += visit.ends.filter(({ kind }) => kind === 'accepted').length;
    crowd.tell('buying', visits.length, plans.length);
  });
  return visits;
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
