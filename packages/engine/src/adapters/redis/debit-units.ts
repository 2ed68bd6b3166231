/** Takes units out of a quota, once per move. */
import { invariant, isUnitCount } from '../../domain/invariant.ts';
import type { Debit, DebitAnswer, GateCall, Refused } from '../../ports/gate.ts';
import { DEBIT } from './commands.ts';
import type { Layout } from './layout.ts';
import { writeWord } from './marks.ts';
import { stampOf } from './stamp.ts';

export async function debitUnits(
  layout: Layout,
  call: GateCall,
  { moveId, epoch, channel, units }: Debit,
): Promise<DebitAnswer | Refused> {
  invariant(units === null || (isUnitCount(units) && units > 0), 'a debit is a positive whole number of units');
  const { keys, connection } = await layout.placeOf(call.segment);
  const answer = await connection.run(DEBIT, {
    keys,
    arguments: {
      ...stampOf(connection, call),
      epoch,
      move_id: moveId,
      channel: writeWord(channel),
      units: units ?? 'all',
    },
  });
  if (typeof answer === 'string') {
    invariant(answer !== 'bad_argument', 'a debit is written as its script reads it');
    return answer;
  }
  const [isRepeated, debited] = answer.map(Number);
  return { kind: isRepeated === 1 ? 'repeated' : 'debited', units: debited ?? 0 };
}
