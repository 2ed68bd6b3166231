/** What a rush does as the operator: creates its sale and reads its books. */
import type { AdminSaleAnswer, CreateSaleRequest, PlacesAnswer } from '@sluice/contract';
import type { Reason } from '@sluice/contract/codes';
import type { Answer, DeploymentCall } from './deployment-client.ts';
import type { GaveUp, PatientCaller } from './patient-caller.ts';
import { routes } from './routes.ts';
import { CannotRush, type FreshSale, type RushOptions } from './rush-options.ts';

export interface Operator {
  saleFor(wanted: RushOptions['sale'], runName: string): Promise<AdminSaleAnswer>;
  places(saleId: string): Promise<PlacesAnswer>;
  /** Read again until nothing moves any more, for a bounded time; then as they are. */
  settledPlaces(saleId: string): Promise<PlacesAnswer>;
}

const MINUTE_MS = 60_000;
const SETTLE_TRIES = 50;
const BETWEEN_TRIES_MS = 200;

export function createOperator(caller: PatientCaller, adminKey: string): Operator {
  async function ask(call: DeploymentCall, isDone: (reason: Reason) => boolean = () => false): Promise<unknown> {
    const answer = await caller.ask({ ...call, bearer: adminKey });
    return answer.kind === 'refused' && isDone(answer.reason) ? null : bodyOf(answer, call);
  }

  async function places(saleId: string): Promise<PlacesAnswer> {
    return (await ask({ method: 'GET', path: routes.places(saleId) })) as PlacesAnswer;
  }

  return {
    async saleFor(wanted, runName) {
      if (wanted.kind === 'fresh') {
        const body = freshSale(runName, wanted);
        // The id is nobody else's: what is there already was done by a call whose answer was lost.
        await ask({ method: 'POST', path: routes.adminSales(), body }, (reason) => reason === 'exists');
        await ask({ method: 'POST', path: routes.operate(runName, 'publish') });
      }
      const id = wanted.kind === 'fresh' ? runName : wanted.id;
      return (await ask({ method: 'GET', path: routes.adminSale(id) })) as AdminSaleAnswer;
    },
    places,
    async settledPlaces(saleId) {
      for (let tries = 1; ; tries++) {
        const reading = await places(saleId);
        const isSettled = reading.still && reading.claimed + reading.inTransit === 0;
        if (isSettled || tries === SETTLE_TRIES) return reading;
        await new Promise((resolve) => setTimeout(resolve, BETWEEN_TRIES_MS));
      }
    },
  };
}

function freshSale(id: string, { stock, limit, segments, holdMs = 15 * MINUTE_MS }: FreshSale): CreateSaleRequest {
  const nowMs = Date.now();
  return {
    ...{ id, title: 'Rush', totalUnits: stock, limitUnits: limit, holdMs },
    ...(segments !== undefined && { segments }),
    // Open already for a deployment whose clock is behind ours.
    ...{ startsAtMs: nowMs - 10 * MINUTE_MS, endsAtMs: nowMs + 24 * 60 * MINUTE_MS },
  };
}

function bodyOf(answer: Answer | GaveUp, { method, path }: DeploymentCall): unknown {
  const call = `${method} ${path}`;
  if (answer.kind === 'gave_up') throw new CannotRush(`The deployment does not answer (${call}).`);
  if (answer.kind === 'ok') return answer.body;
  if (answer.kind === 'foreign')
    throw new CannotRush(`That is no Sluice: ${call} was answered with HTTP ${answer.status}.`);
  if (answer.reason === 'unauthenticated') throw new CannotRush('The deployment does not take this admin key.');
  throw new CannotRush(`${call} was refused: ${answer.reason}. ${answer.detail}`);
}
