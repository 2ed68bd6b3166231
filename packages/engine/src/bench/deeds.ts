/**
 * What buyers do with their orders, and what the operator's back end tells of it: paying (often told more than once),
 * paying late, never paying, cancelling. It keeps what was really done: who meant to pay and was too slow has paid late.
 */
import type { OrderAnswer, PaymentNotedAnswer, PaymentNoticeRequest } from '@sluice/contract';
import type { Answer } from './deployment-client.ts';
import type { Dice } from './dice.ts';
import type { GaveUp, PatientCaller } from './patient-caller.ts';
import { routes } from './routes.ts';
import { type Complaint, callOf, type Intent, type Visit, type VisitPlan } from './visit.ts';

export interface Deed {
  readonly plan: VisitPlan;
  readonly orderId: string;
  readonly done: Exclude<Intent, 'leaves'>;
}

export interface Deeds {
  /** What the buyer of a visit does at once. */
  act(visit: Visit): Promise<void>;
  /** Waits until no order that nobody paid is pending, or patience ends. */
  untilEnded(patienceMs: number): Promise<void>;
  /** The next `share` of those who pay late do so, and it is waited for what becomes of them. */
  payLate(share: number, patienceMs: number): Promise<void>;
  readonly byOrder: ReadonlyMap<string, Deed>;
  readonly complaints: readonly Complaint[];
  repeats(): number;
}

const AMOUNT = 4_900;
const REPEATED_SHARE = 0.3;
const BETWEEN_LOOKS_MS = 100;

export function createDeeds(parts: {
  readonly caller: PatientCaller;
  readonly serverKey: string;
  readonly dice: Dice;
}): Deeds {
  const { caller, serverKey, dice } = parts;
  const byOrder = new Map<string, Deed>();
  const complaints: Complaint[] = [];
  const hasPaid = new Set<string>();
  let repeats = 0;

  async function tell(orderId: string): Promise<PaymentNotedAnswer | null> {
    const body: PaymentNoticeRequest = { reference: `rush-${orderId}`, outcome: 'paid', amount: AMOUNT };
    const answer = await caller.ask({ method: 'POST', path: routes.payment(orderId), bearer: serverKey, body });
    if (answer.kind === 'ok') return answer.body as PaymentNotedAnswer;
    complaints.push(complaintOf(answer, `payment of ${orderId}`));
    return null;
  }

  /** Of notices that are told at once, one at most is new. */
  async function pay(orderId: string): Promise<PaymentNotedAnswer | null> {
    const isRepeated = dice.chance(REPEATED_SHARE);
    if (isRepeated) repeats++;
    const noted = await Promise.all(isRepeated ? [tell(orderId), tell(orderId)] : [tell(orderId)]);
    hasPaid.add(orderId);
    const fresh = noted.filter((each) => each && !each.repeated);
    if (fresh.length > 1)
      complaints.push({ name: 'payment_differs', detail: `${orderId} was paid twice by one notice` });
    return fresh[0] ?? noted[0] ?? null;
  }

  async function doWith(plan: VisitPlan, orderId: string): Promise<Deed['done']> {
    switch (plan.intent) {
      case 'pays': {
        const noted = await pay(orderId);
        return noted?.payment === 'applied' ? 'pays' : 'pays_late';
      }
      case 'cancels': {
        const answer = await caller.ask(callOf(plan, { method: 'POST', path: routes.cancel(orderId) }));
        if (answer.kind === 'ok') return 'cancels';
        const hasEnded = answer.kind === 'refused' && answer.reason === 'wrong_state';
        if (!hasEnded) complaints.push(complaintOf(answer, `cancel of ${orderId}`));
        return 'never_pays';
      }
      case 'leaves':
      case 'never_pays':
        return 'never_pays';
      case 'pays_late':
        return 'pays_late';
    }
  }

  async function statusOf({ plan, orderId }: Deed): Promise<string | null> {
    const answer = await caller.ask(callOf(plan, { method: 'GET', path: routes.order(orderId) }));
    return answer.kind === 'ok' ? (answer.body as OrderAnswer).status : null;
  }

  async function untilLeft(deeds: readonly Deed[], states: readonly string[], patienceMs: number): Promise<void> {
    const untilMs = performance.now() + patienceMs;
    for (const deed of deeds) {
      while (performance.now() < untilMs && states.includes((await statusOf(deed)) ?? '')) {
        await new Promise((resolve) => setTimeout(resolve, BETWEEN_LOOKS_MS));
      }
    }
  }

  const unpaid = () =>
    [...byOrder.values()].filter(({ done, orderId }) => !['pays', 'cancels'].includes(done) && !hasPaid.has(orderId));

  return {
    async act({ plan, ends }) {
      for (const end of ends) {
        if (end.kind !== 'accepted' || byOrder.has(end.orderId)) continue;
        byOrder.set(end.orderId, { plan, orderId: end.orderId, done: await doWith(plan, end.orderId) });
      }
    },
    untilEnded: (patienceMs) => untilLeft(unpaid(), ['pending', 'queued'], patienceMs),
    async payLate(share, patienceMs) {
      const waiting = unpaid().filter(({ done }) => done === 'pays_late');
      const payers = waiting.slice(0, Math.ceil(waiting.length * share));
      for (const { orderId } of payers) await pay(orderId);
      await untilLeft(payers, ['cancelled', 'expired'], patienceMs);
    },
    ...{ byOrder, complaints, repeats: () => repeats },
  };
}

function complaintOf(answer: Answer | GaveUp, what: string): Complaint {
  if (answer.kind === 'gave_up') return { name: 'unanswered', detail: what };
  const said = answer.kind === 'refused' ? answer.reason : `HTTP ${answer.status}`;
  return { name: 'payment_differs', detail: `${what} was answered with ${said}` };
}
