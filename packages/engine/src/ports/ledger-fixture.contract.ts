/** What the ledger contracts share: a subject to run over, and short ways to say sale, claim and books. */

import { Fault } from '../domain/fault.ts';
import { type Quota, type QuotaKey, quotaName, unorderedUnits } from '../domain/inventory/quota.ts';
import { balancesOf } from '../domain/ledger/balance.ts';
import { ACCOUNTS, type Entry } from '../domain/ledger/entry.ts';
import { type Claim, quotaOf } from '../domain/order/claim.ts';
import { plainOffer } from '../domain/sale/offer.ts';
import type { SaleDraft } from '../domain/sale/sale.ts';
import type { Stock } from './inventory-centre.ts';
import type { Ledger } from './ledger.ts';
import type { SaleQuota } from './sales.ts';

/** An adapter under test. Every suite opens it once and keeps to sales of its own. */
export interface LedgerSubject {
  readonly name: string;
  /** How many steps of an order's life are tried in every order: 6 where calls are cheap. */
  readonly longestLife: number;
  open(): Promise<{ readonly ledger: Ledger; close(): Promise<void> }>;
}

export const REGION = 'main';

export const QUOTAS: readonly SaleQuota[] = [
  { region: REGION, segment: 0, channel: 'web' },
  { region: REGION, segment: 0, channel: 'app' },
  { region: REGION, segment: 1, channel: 'web' },
];

let lastSaleNumber = 0;

export function newDraft(changes: Partial<SaleDraft> = {}): SaleDraft {
  lastSaleNumber += 1;
  return {
    id: `sale-${lastSaleNumber}`,
    title: `Sale ${lastSaleNumber}`,
    offer: plainOffer('skin'),
    timeZone: 'UTC',
    totalUnits: 100,
    limitUnits: 2,
    startsAtMs: 1_700_000_000_000,
    endsAtMs: 1_700_000_600_000,
    holdMs: 900_000,
    segments: 2,
    ...changes,
  };
}

export function quotaKey(saleId: string, index = 0): QuotaKey {
  const quota = QUOTAS[index];
  if (!quota) throw new Error(`there is no quota ${index}`);
  return { saleId, ...quota };
}

/** A live sale whose first quota has all its units at the gate, and whose segment 0 is in epoch 1. */
export async function openSale(ledger: Ledger, changes: Partial<SaleDraft> = {}): Promise<string> {
  const draft = newDraft(changes);
  await ledger.sales.create(draft, QUOTAS);
  await ledger.sales.operate(draft.id, 'publish');
  await openEpoch(ledger, draft.id);
  const moveId = `${draft.id}/first`;
  await ledger.inventoryCentre.allot({ moveId, quota: quotaKey(draft.id), units: draft.totalUnits });
  await ledger.inventoryCentre.finishMove(moveId);
  return draft.id;
}

export async function openEpoch(ledger: Ledger, saleId: string, queued: readonly Claim[] = []): Promise<void> {
  const segment = { saleId, region: REGION, segment: 0 };
  const record = (await stockOf(ledger, saleId)).segments.find((candidate) => candidate.segment === 0);
  const cutThrough = queued.at(-1)?.origin ?? { epoch: 0, seq: 0 };
  await ledger.inventoryCentre.openEpoch({
    segment,
    fromEpoch: record?.epoch ?? 0,
    cutThrough: { epoch: cutThrough.epoch, seq: cutThrough.seq },
    queued,
  });
}

export interface ClaimChanges {
  readonly orderId?: string;
  readonly buyerId?: string;
  readonly units?: number;
  readonly epoch?: number;
}

/** A claim of one unit on the sale's first quota, by a buyer of its own. */
export function newClaim(saleId: string, seq: number, changes: ClaimChanges = {}): Claim {
  const { epoch = 1, ...rest } = changes;
  return {
    orderId: `${saleId}/order-${seq}`,
    buyerId: `buyer-${seq}`,
    units: 1,
    ...rest,
    saleId,
    origin: { region: REGION, segment: 0, channel: 'web', epoch, seq },
  };
}

export async function stockOf(ledger: Ledger, saleId: string, claims: readonly Claim[] = []): Promise<Stock> {
  const stock = await ledger.inventoryCentre.stock(saleId, claims);
  if (!stock) throw new Error(`sale ${saleId} is not in the ledger`);
  return stock;
}

/** In the order of QUOTAS. */
export async function quotasOf(ledger: Ledger, saleId: string): Promise<readonly Quota[]> {
  const { quotas } = await stockOf(ledger, saleId);
  return QUOTAS.map((_, index) => {
    const name = quotaName(quotaKey(saleId, index));
    const quota = quotas.find((candidate) => quotaName(candidate) === name);
    if (!quota) throw new Error(`quota ${name} is not in the ledger`);
    return quota;
  });
}

export async function journalOf(ledger: Ledger, saleId: string): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  for (let cursor: number | null = 0; cursor !== null; ) {
    const page = await ledger.journal.read(saleId, cursor, 50);
    entries.push(...page.entries);
    cursor = page.next;
  }
  return entries;
}

/** The code of the fault that `action` ends with, or null when it ends well. */
export async function faultOf(action: () => Promise<unknown>): Promise<string | null> {
  try {
    await action();
    return null;
  } catch (error) {
    if (error instanceof Fault) return error.code;
    throw error;
  }
}

/** Every law that the books of a sale break, as sentences. Called between steps, when nothing else writes. */
export async function brokenLaws(ledger: Ledger, saleId: string): Promise<readonly string[]> {
  const stock = await stockOf(ledger, saleId);
  const balances = balancesOf(await journalOf(ledger, saleId));
  const broken: string[] = [];
  const law = (holds: boolean, sentence: string) => {
    if (!holds) broken.push(sentence);
  };

  const { centre, quotas } = stock;
  const allotted = quotas.reduce((sum, quota) => sum + quota.allottedUnits, 0);
  law(centre.freeUnits >= 0, 'free >= 0');
  law(centre.freeUnits + allotted === centre.totalUnits, 'free + allotted of all quotas = total');
  law(centre.allottedUnits === allotted, 'allotted of the sale = allotted of its quotas');
  law(balances.sale.free === centre.freeUnits, 'free by the journal = free');
  law(balances.sale.outside === -centre.totalUnits, 'what came in by the journal = total');
  law(ACCOUNTS.reduce((sum, account) => sum + balances.sale[account], 0) === 0, 'the journal sums to zero');

  for (const quota of quotas) {
    const name = quotaName(quota);
    const moving = stock.openMoves.filter((move) => quotaName(move.quota) === name);
    const returning = stock.openReleases.filter(
      (release) => quotaName(quotaOf(release)) === name && release.destination === 'quota',
    );
    const inTransit = [...moving, ...returning].reduce((sum, { units }) => sum + units, 0);
    const journal = balances.quotas.get(name);
    law(Math.min(quota.heldUnits, quota.soldUnits, quota.quarantinedUnits) >= 0, `${name}: nothing is negative`);
    law(unorderedUnits(quota) >= 0, `${name}: held + sold + quarantined <= allotted`);
    law((journal?.held ?? 0) === quota.heldUnits, `${name}: held by the journal = held`);
    law((journal?.sold ?? 0) === quota.soldUnits, `${name}: sold by the journal = sold`);
    law((journal?.quarantined ?? 0) === quota.quarantinedUnits, `${name}: quarantined by the journal = quarantined`);
    law((journal?.inTransit ?? 0) === inTransit, `${name}: in transit by the journal = open moves and releases`);
    law((journal?.atGate ?? 0) === unorderedUnits(quota) - inTransit, `${name}: at the gate by the journal = the rest`);
  }
  return broken;
}
