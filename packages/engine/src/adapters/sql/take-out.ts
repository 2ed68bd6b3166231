/**
 * Takes a claim out of quarantine and settles it, or ends it, in the same transaction: it is never in two places, and what the
 * ledger refuses leaves it where it was. Rows are locked in the order of every settlement.
 */
import { invariant } from '../../domain/invariant.ts';
import { decideDrop } from '../../domain/ledger/decide-quarantine.ts';
import type { SettlementOutcome } from '../../domain/ledger/decide-settlement.ts';
import { claimTakenOut } from '../../domain/ledger/entry.ts';
import { type Claim, segmentOf } from '../../domain/order/claim.ts';
import type { DropResult, SetAside } from '../../ports/quarantine.ts';
import { addToQuarantined } from './quarantine.ts';
import { saleOf, segmentRecordOf } from './rows.ts';
import { cutsOf, lockQuotas, lockSegments } from './segment-rows.ts';
import { settleIn } from './settlement.ts';
import type { Reader } from './settlement-view.ts';

type ClaimAside = SetAside & { readonly what: { readonly kind: 'claim' } };

export async function replayClaim(reader: Reader, aside: ClaimAside): Promise<SettlementOutcome | null> {
  await lockSurroundings(reader, aside.what.claim);
  if (!(await takeOut(reader, aside))) return null;
  const [outcome] = await settleIn(reader, [aside.what.claim], { known: 'looked_up' });
  invariant(outcome, 'each claim of a group has its outcome');
  return outcome;
}

export async function dropClaim(reader: Reader, aside: ClaimAside): Promise<DropResult> {
  const { claim } = aside.what;
  const segmentRow = await lockSurroundings(reader, claim);
  const [saleRow] = await reader.statements.salesNamed(reader.trx, [claim.saleId]);
  const segment = segmentRow ? segmentRecordOf(segmentRow, await cutsOf(reader, [segmentOf(claim)])) : null;
  const decision = decideDrop({ sale: saleRow ? saleOf(saleRow) : null, segment, units: aside.units }, claim);
  if (decision === 'sale_settled') return { kind: 'sale_settled' };
  if (!(await takeOut(reader, aside))) return { kind: 'absent' };
  if (decision === 'forget') return { kind: 'dropped', outcome: null };
  const [outcome = null] = await settleIn(reader, [claim], { known: 'looked_up', forced: 'dropped' });
  return { kind: 'dropped', outcome };
}

/** False when somebody else has it out already. */
async function takeOut(reader: Reader, { id, units, what: { claim } }: ClaimAside): Promise<boolean> {
  const { trx, statements } = reader;
  const { numDeletedRows } = await trx.deleteFrom('quarantine').where('id', '=', id).executeTakeFirstOrThrow();
  if (numDeletedRows === 0n) return false;
  if (units === 0) return true;
  await addToQuarantined(reader, claim, -units);
  await statements.insertEntries(trx, [claimTakenOut(claim)]);
  return true;
}

async function lockSurroundings(reader: Reader, claim: Claim) {
  const { dialect, trx } = reader;
  if (dialect.latch) await dialect.latch.shared.execute(trx);
  const keys = [segmentOf(claim)];
  const [segmentRow] = await lockSegments(reader, keys);
  await lockQuotas(reader, keys);
  return segmentRow;
}
