/** Puts a claim aside, as decideQuarantine says. */
import { decideQuarantine } from '../../domain/ledger/decide-quarantine.ts';
import { claimQuarantined } from '../../domain/ledger/entry.ts';
import { type Claim, claimId, segmentOf } from '../../domain/order/claim.ts';
import { quotaOfRow, segmentRecordOf } from './rows.ts';
import { cutsOf, lockQuotas, lockSegments } from './segment-rows.ts';
import type { Reader } from './settlement-view.ts';

export async function quarantineClaim(reader: Reader, claim: Claim, reason: string): Promise<void> {
  const { trx, statements } = reader;
  const { saleId, origin } = claim;
  const keys = [segmentOf(claim)];
  const [segmentRow] = await lockSegments(reader, keys);
  const quotaRow = (await lockQuotas(reader, keys)).find((row) => row.channel === origin.channel);
  const known = await statements.knownAmong(trx, [claim]);
  const decision = decideQuarantine(
    {
      isKnown: known.size > 0,
      segment: segmentRow ? segmentRecordOf(segmentRow, await cutsOf(reader, keys)) : null,
      quota: quotaRow ? quotaOfRow(quotaRow) : null,
    },
    claim,
  );
  if (decision.kind === 'known') return;

  const { units } = decision;
  await trx
    .insertInto('quarantine')
    .values({ id: claimId(claim), sale_id: saleId, claim: JSON.stringify(claim), quarantined_units: units, reason })
    .execute();
  if (units === 0) return;
  await addToQuarantined(reader, claim, units);
  await statements.insertEntries(trx, [claimQuarantined(claim)]);
}

/** `units`: below 0 for what is taken out again. */
export async function addToQuarantined({ trx }: Reader, { saleId, origin }: Claim, units: number): Promise<void> {
  await trx
    .updateTable('quotas')
    .set((eb) => ({ quarantined_units: eb('quarantined_units', '+', units) }))
    .where('sale_id', '=', saleId)
    .where('region', '=', origin.region)
    .where('segment', '=', origin.segment)
    .where('channel', '=', origin.channel)
    .execute();
}
