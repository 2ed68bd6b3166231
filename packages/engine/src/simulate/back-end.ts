/**
 * The operator's back end: it says what it knows of money until it is answered, over a wire that loses answers, says some
 * things again later, and sends what came at once in an order of its own.
 */
import type { OrderId } from '../domain/ids.ts';
import type { PaymentOutcome } from '../domain/order/payment.ts';
import type { AnswerAuditor } from './answer-auditor.ts';
import type { Plan } from './plan.ts';
import type { Random } from './random.ts';
import type { Site } from './site.ts';
import type { World } from './world.ts';

export interface BackEnd {
  /** Resolves when the first answer has come: what the payment is by then, as the site tells it. */
  tell(orderId: OrderId, reference: string, outcome: PaymentOutcome): Promise<string>;
  /** Notices that are not answered yet, or will be said again. */
  readonly notices: number;
}

export interface BackEndParts {
  readonly world: World;
  readonly site: Site;
  readonly plan: Plan;
  readonly answers: AnswerAuditor;
}

const LONGEST_REPEAT_MS = 3_000;

export function createBackEnd({ world, site, plan, answers }: BackEndParts): BackEnd {
  let notices = 0;
  /** Only worlds that have notices draw for them. */
  let ownRandom: Random | null = null;
  const { repeated, slowMs } = plan.life?.notices ?? { repeated: 0, slowMs: 0 };

  async function say(random: Random, notice: Parameters<BackEnd['tell']>): Promise<string> {
    const [orderId, reference, outcome] = notice;
    for (;;) {
      const reply = await site.ask(`to note ${outcome} ${reference}`, async (engine) => {
        const answered = answers.orderAsked(orderId);
        const answer = await engine.notePayment({ orderId, reference, outcome, amount: null });
        if (answer.kind === 'noted') answered(answer.order);
        return answer;
      });
      if (reply.kind === 'answer')
        return reply.answer.kind === 'noted' ? reply.answer.payment.state : reply.answer.reason;
      await world.sleep(random.whole(50, 800));
    }
  }

  async function sayAgain(random: Random, notice: Parameters<BackEnd['tell']>): Promise<void> {
    for (; random.chance(repeated); ) {
      await world.sleep(random.whole(0, LONGEST_REPEAT_MS));
      await say(random, notice);
    }
    notices -= 1;
  }

  return {
    async tell(...notice) {
      ownRandom ??= world.random.fork();
      const random = ownRandom.fork();
      notices += 1;
      await world.sleep(random.whole(0, slowMs));
      const state = await say(random, notice);
      void sayAgain(random, notice);
      return state;
    },
    get notices() {
      return notices;
    },
  };
}
