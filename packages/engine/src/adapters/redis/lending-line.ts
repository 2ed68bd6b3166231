/** The lending line over pub/sub: every process hears the questions, one hears the answer. */
import { randomUUID } from 'node:crypto';
import { BORROW_RESULTS, DRY_VERDICTS } from '../../domain/inventory/dry.ts';
import type { Clock } from '../../ports/clock.ts';
import type { LendingAnswer, LendingLine, LendingQuestion } from '../../ports/lending-line.ts';
import type { Hints } from './hints.ts';
import type { Names } from './keys.ts';

/** A borrow is a few transactions; this is several times as long. Whoever waits longer is better told to come again. */
const PATIENCE_MS = 2_000;
/** Then others than the one whose turn it is may answer: it may be dead. */
const ASK_AGAIN_MS = 400;

interface Question {
  readonly id: string;
  readonly from: string;
  readonly isRepeated: boolean;
  readonly question: LendingQuestion;
}

interface Answer {
  readonly id: string;
  readonly kind: string;
  readonly leftUnits: number;
}

const ANSWERS: readonly string[] = [...BORROW_RESULTS, ...DRY_VERDICTS];

export function createLendingLine(hints: Hints, names: Names, clock: Clock): LendingLine {
  const self = randomUUID();
  /** Bounded by the quotas and sales that somebody asks about, one question each at a time. */
  const waiting = new Map<string, (answer: LendingAnswer | null) => void>();
  const isKind = (text: string): text is LendingAnswer['kind'] => ANSWERS.includes(text);

  hints.on(names.answersChannel(self), (text) => {
    if (text === null) return;
    const { id, kind, leftUnits }: Answer = JSON.parse(text);
    if (isKind(kind)) waiting.get(id)?.({ kind, leftUnits });
  });

  return {
    ask(question) {
      const id = randomUUID();
      const say = (isRepeated: boolean) => {
        const message: Question = { id, from: self, isRepeated, question };
        hints.publish(names.questionsChannel, JSON.stringify(message));
      };
      return new Promise((resolve) => {
        const repeatOff = clock.after(ASK_AGAIN_MS, () => say(true));
        const patienceOff = clock.after(PATIENCE_MS, () => waiting.get(id)?.(null));
        waiting.set(id, (answer) => {
          waiting.delete(id);
          repeatOff();
          patienceOff();
          resolve(answer);
        });
        say(false);
      });
    },

    listen(answer) {
      const inHand = new Set<string>();
      return hints.on(names.questionsChannel, (text) => {
        if (text === null) return;
        const { id, from, isRepeated, question }: Question = JSON.parse(text);
        if (inHand.has(id)) return;
        inHand.add(id);
        void answer(question, isRepeated).then((found) => {
          inHand.delete(id);
          if (found !== null)
            hints.publish(names.answersChannel(from), JSON.stringify({ id, ...found } satisfies Answer));
        });
      });
    },
  };
}
