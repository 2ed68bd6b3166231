/** Answers the questions of processes that have no ledger: brings units to their dry quotas, and judges their empty sales. */
import { Fault } from '../domain/fault.ts';
import type { DryVerdict } from '../domain/inventory/dry.ts';
import type { SegmentKey } from '../domain/inventory/quota.ts';
import type { LendingLine } from '../ports/lending-line.ts';
import type { Lender } from './lender.ts';

export interface AnswerLendingDeps {
  readonly line: LendingLine;
  readonly lender: Lender;
  /** Made anew: who asks remembers the verdict himself, and no verdict may be old twice. */
  readonly sweep: (saleId: string) => Promise<DryVerdict>;
  /** Of several that could answer, this one should. */
  readonly isOurs: (segment: SegmentKey) => boolean;
  readonly onFault: (fault: Fault) => void;
  readonly onCrash: (error: unknown) => void;
}

/** The segment by which it is decided whose turn a whole sale is. */
const FIRST_SEGMENT = 0;

export function answerLending({ line, lender, sweep, isOurs, onFault, onCrash }: AnswerLendingDeps): () => void {
  return line.listen(async (question, isRepeated) => {
    const key =
      question.kind === 'borrow' ? question.quota : { saleId: question.saleId, region: '', segment: FIRST_SEGMENT };
    if (!isRepeated && !isOurs(key)) return null;
    try {
      return question.kind === 'borrow'
        ? await lender.borrow(question.quota, question.want)
        : { kind: await sweep(question.saleId), leftUnits: 0 };
    } catch (error) {
      if (error instanceof Fault) onFault(error);
      else onCrash(error);
      return null;
    }
  });
}
