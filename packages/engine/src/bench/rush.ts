/**
 * A rush: a crowd of buyers at a running deployment, and a look at the books when it has left. It drives the deployment over
 * HTTP as everybody else does, and believes nothing that it cannot read there.
 */
import { randomBytes } from 'node:crypto';
import type { OrderAnswer, PlacesAnswer } from '@sluice/contract';
import { hammerSale } from './bot.ts';
import { acceptedOrders, acceptedUnits, checkBooks } from './check-books.ts';
import { runClosedLoop } from './closed-loop.ts';
import { planVisits } from './crowd.ts';
import { createDeeds, type Deed, type Deeds } from './deeds.ts';
import { createDeploymentClient, type DeploymentCall } from './deployment-client.ts';
import { createDice } from './dice.ts';
import { funnelOf } from './funnel.ts';
import { createLatencyKinds, type LatencyKinds } from './latency-kinds.ts';
import { runOpenLoop } from './open-loop.ts';
import { createOperator } from './operator.ts';
import { type OwnLagWatch, watchOwnLag } from './own-lag.ts';
import { createPatientCaller, isServerError, type PatientCaller } from './patient-caller.ts';
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
  const client = createDeploymentClient({ url: options.url, connections: options.connections });
  const adminClient = createDeploymentClient({ url: options.adminUrl, connections: 1 });
  const dice = createDice(options.seed);
  const latencies = createLatencyKinds();
  const counts = { accepted: 0, repeated: 0 };
  const broken: Complaint[] = [];
  const patience = {
    ...{ dice, patienceMs: options.patienceMs, onRetry: () => counts.repeated++ },
    onAnswer: (...[call, answer, durationMs]: AnswerNote) => {
      latencies.call(call, answer, durationMs);
      if (isServerError(answer)) broken.push(serverError(call, answer));
    },
  };
  const caller = createPatientCaller({ ...patience, client });
  const operator = createOperator(createPatientCaller({ ...patience, client: adminClient }), options.adminKey);
  const tell = (phase: RushProgress['phase'], done: number, total: number) =>
    options.onProgress?.({ phase, done, total, ...counts });

  try {
    const runName = `rush-${randomBytes(6).toString('hex')}`;
    const { id: saleId, limitUnits, holdMs } = await operator.saleFor(options.sale, runName);
    const before = await operator.places(saleId);
    const deeds = options.payments ? createDeeds({ ...options.payments, caller, dice }) : null;
    const plans = planVisits(options, dice, runName);
    const lag = watchOwnLag();
    const crowd = {
      ...{ options, deeds, latencies, lag },
      ...{ tell, counts },
      deps: { caller, saleId, units: options.units, patienceMs: options.patienceMs },
    };

    const firstVisits = await letThemBuy(crowd, plans, 'buying');
    const lagMs = lag.end();
    const visits = await letOrdersLive(crowd, firstVisits, () => operator.settledPlaces(saleId));
    const latencyMs = latencies.summary();
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
      ...{ sale: saleId, seed: options.seed, buyers: options.buyers, repeated: counts.repeated },
      ...{ attempts: visits.reduce((sum, { ends }) => sum + ends.length, 0), outcomes: outcomesOf(visits) },
      ...{ latencyMs, lagMs, funnel: funnelOf(visits, found), durationMs: Math.round(performance.now() - startedMs) },
      ...{ orders: acceptedOrders(visits).size, units: acceptedUnits(visits), payments, places: after },
      violations: checkBooks({
        ...{ saleId, limitUnits, units, before, after, visits, found },
        ...{ complaints: [...broken, ...complaints, ...(deeds?.complaints ?? [])], deeds: deeds?.byOrder ?? null },
        holdsEnded: holdMs < options.patienceMs,
      }),
    };
  } finally {
    await Promise.all([client.close(), adminClient.close()]);
  }
}

type AnswerNote = Parameters<NonNullable<Parameters<typeof createPatientCaller>[0]['onAnswer']>>;

function serverError({ method, path }: DeploymentCall, answer: AnswerNote[1]): Complaint {
  const said = answer.kind === 'refused' ? ` ${answer.reason}` : '';
  return { name: 'server_error', detail: `${method} ${path} was answered with HTTP ${answer.status}${said}` };
}

interface Crowd {
  readonly options: RushOptions;
  readonly deps: VisitDeps & { readonly caller: PatientCaller };
  readonly latencies: LatencyKinds;
  readonly lag: OwnLagWatch;
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
  const { deps, latencies, lag, counts, deeds, tell } = crowd;
  const arrivals = plans.map((plan) => ({ atMs: plan.arrivesAtMs, item: plan }));
  await runOpenLoop(arrivals, async (plan, intendedMs) => {
    lag.startedLate(performance.now() - intendedMs);
    const visit = await (plan.isBot ? hammerSale : visitSale)(deps, plan, intendedMs);
    latencies.visit(performance.now() - intendedMs);
    visits.push(visit);
    await deeds?.act(visit);
    counts.accepted += visit.ends.filter(({ kind }) => kind === 'accepted').length;
    tell(phase, visits.length, plans.length);
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
  untilStill: () => Promise<PlacesAnswer>,
): Promise<readonly Visit[]> {
  const { deeds, options, tell } = crowd;
  if (!deeds) return visits;
  const { patienceMs } = options;
  tell('waiting for holds to end', 0, visits.length);
  await deeds.untilEnded(patienceMs + SWEEP_MS);
  await deeds.payLate(LATE_BEFORE_RESALE, patienceMs);
  const { free, available } = await untilStill();
  // Nothing came back, so nobody does.
  const sentAway = free + available > 0 ? visits.filter((visit) => !isWinner(visit)) : [];
  const plans = sentAway.map(({ plan }): VisitPlan => ({ ...plan, secondToken: 'none', intent: 'pays', isBot: false }));
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
  await runClosedLoop(winners, crowd.options.connections, async ({ plan, ends }) => {
    for (const end of ends) complaints.push(...(await comeAgain(crowd.deps, plan, end)));
    crowd.tell('coming again', ++done, winners.length);
  });
  return complaints;
}

/** Each winner reads their own orders. */
async function readOrders(crowd: Crowd, winners: readonly Visit[]): Promise<ReadonlyMap<string, FoundOrder | null>> {
  const found = new Map<string, FoundOrder | null>();
  let done = 0;
  await runClosedLoop(winners, crowd.options.connections, async ({ plan, ends }) => {
    for (const end of ends) {
      if (end.kind !== 'accepted') continue;
      const { jwt: bearer, address: clientAddress } = plan;
      const answer = await crowd.deps.caller.ask({
        method: 'GET',
        path: routes.order(end.orderId),
        bearer,
        clientAddress,
      });
      found.set(`${plan.buyerId}/${end.orderId}`, answer.kind === 'ok' ? (answer.body as OrderAnswer) : null);
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
    const last = visit.ends.at(-1);
    if (!last) continue;
    const refused = last.kind === 'refused' ? last.reason : last.kind;
    const outcome = isWinner(visit) ? 'accepted' : refused;
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  }
  return outcomes;
}
