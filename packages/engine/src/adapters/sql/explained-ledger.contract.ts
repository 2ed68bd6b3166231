/**
 * The ledger's contract suite, and then: no statement reads the whole of a table that grows. The statements are those that the
 * suite made the ledger send, each explained by the database over filled tables, so that a new query without an index is found
 * without being named here.
 */
import { CompiledQuery, Kysely, type KyselyConfig, type LogEvent } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ledgerContract } from '../../ports/ledger.contract.ts';
import type { Ledger } from '../../ports/ledger.ts';
import { newDraft } from '../../ports/ledger-fixture.contract.ts';
import type { OrderFilter } from '../../ports/orders.ts';
import type { SqlDialect } from './dialect.ts';
import { createSqlLedger } from './ledger.ts';
import { invokeMethod, ledgerOf } from './ledger-methods.ts';
import { migrate } from './migrations/migrate.ts';
import type { LedgerDatabase, LedgerTables } from './schema.ts';

export interface OpenExplained {
  readonly dialect: SqlDialect;
  /** Once the tables are filled: what the database counts before it plans. */
  analyse(db: LedgerDatabase): Promise<void>;
  drop(): Promise<void>;
}

export interface ExplainSubject {
  readonly name: string;
  readonly longestLife: number;
  readonly explain: string;
  /** The tables that a plan reads from end to end. */
  scannedBy(rows: readonly unknown[]): readonly string[];
  /** Calls of a database over a wire may have to be made again. */
  readonly patient: (ledger: Ledger) => Ledger;
  open(): Promise<OpenExplained>;
}

/**
 * A deployment has hundreds of sales, each read by whoever lists them, a few endpoints, a lease for each thing that is done once,
 * and one row that says which ledger it is.
 */
const MAY_BE_SCANNED = new Set(['sales', 'leases', 'webhook_endpoints', 'ledger_identity']);

const SLOW_MS = 240_000;
const ROWS = 6_000;
const ROWS_AT_ONCE = 200;

interface Issued {
  readonly text: string;
  readonly parameters: readonly unknown[];
}

export function explainedLedgerContract(subject: ExplainSubject): void {
  const issued = new Map<string, Issued>();
  const called = new Set<string>();
  let db: LedgerDatabase;
  let ledger: Ledger;

  function note({ level, query }: LogEvent): void {
    const { sql: text, parameters } = query;
    if (level !== 'query' || !/^(select|update|delete|with)\b/.test(text)) return;
    // One text for any number of ids.
    const shape = text.replaceAll(/(\$\d+|\?)(, (\$\d+|\?))+/g, '…').replaceAll(/\$\d+/g, '?');
    const known = issued.get(shape);
    // The one with the fewest: for hundreds of ids in a table of thousands, to read all of it may be the better plan.
    if (!known || parameters.length < known.parameters.length) issued.set(shape, { text, parameters });
  }

  async function open() {
    const { dialect, drop } = opened;
    let isMigrated = false;
    const config: KyselyConfig = { dialect: dialect.kysely, log: (event) => void (isMigrated && note(event)) };
    db = new Kysely<LedgerTables>(config);
    await migrate(db, dialect);
    isMigrated = true;
    const inner = createSqlLedger(db, dialect);
    const counted = ledgerOf((call) => {
      called.add(`${call.port}.${call.method}`);
      return invokeMethod(inner, call);
    });
    ledger = subject.patient(counted);
    return {
      ledger,
      async close() {
        await db.destroy();
        await drop();
      },
    };
  }

  let opened: OpenExplained;
  let own: Awaited<ReturnType<typeof open>>;
  beforeAll(async () => {
    opened = await subject.open();
    own = await open();
    // First, so that these are explained with a page as the API asks for it, not with one of a suite's thousands.
    await askEveryWay(ledger);
  });
  afterAll(() => own.close());

  ledgerContract({
    ...{ name: subject.name, longestLife: subject.longestLife },
    open: async () => ({ ledger: own.ledger, close: async () => {} }),
  });

  describe(`the statements of the ${subject.name} ledger`, { timeout: SLOW_MS }, () => {
    beforeAll(async () => {
      await fill(db);
      await opened.analyse(db);
    }, SLOW_MS);

    test('are those of every method', () => {
      const all = Object.entries(ledger).flatMap(([port, methods]) =>
        Object.keys(methods).map((name) => `${port}.${name}`),
      );
      expect([...called].sort()).toEqual(all.sort());
      expect(issued.size).toBeGreaterThan(50);
    });

    test('read no growing table from end to end', async () => {
      const scanned: string[] = [];
      for (const { text, parameters } of issued.values()) {
        const query = CompiledQuery.raw(`${subject.explain} ${text}`, [...parameters]);
        const { rows } = await db.executeQuery(query);
        const harmless = new Set([...MAY_BE_SCANNED, ...readForAnyRow(text), ...countedWhole(text)]);
        const tables = subject.scannedBy(rows).filter((table) => !harmless.has(table));
        if (tables.length > 0) scanned.push(`${tables.join(', ')}: ${text}`);
      }
      expect(scanned).toEqual([]);
    });

    test('would be found if one did', async () => {
      const query = CompiledQuery.raw(`${subject.explain} select units from orders where units = 7`);
      expect(subject.scannedBy((await db.executeQuery(query)).rows)).toEqual(['orders']);
    });
  });
}

/** What is delivered has no row any more, so that all deliveries may be counted. */
function countedWhole(text: string): readonly string[] {
  return /count\(\*\).* from \W?webhook_deliveries\b/.test(text) ? ['webhook_deliveries'] : [];
}

/** Tables that are asked whether they have anything at all, which ends at the first row, whichever it is. */
function readForAnyRow(text: string): readonly string[] {
  const found = text.matchAll(/exists \(select \S+ from \W?(\w+)\W?\)|^select \S+ from \W?(\w+)\W? limit \S+$/g);
  return [...found].flatMap(([, inExists, alone]) => inExists ?? alone ?? []);
}

/** Every way in which the API lists orders. */
async function askEveryWay({ orders }: Ledger): Promise<void> {
  const [saleId, buyerId] = ['sale-1', 'buyer-1'];
  const filters: readonly OrderFilter[] = [
    ...[{ saleId }, { buyerId }, { saleId, buyerId }, { saleId, state: 'pending' as const }],
    { saleId, buyerId, state: 'paid' },
  ];
  for (const filter of filters) {
    await orders.list(filter, null, 50);
    await orders.list(filter, { settledAtMs: 1, orderId: 'o' }, 50);
  }
}

/** A ledger after years: many sales that are over, with hardly anything open. */
async function fill(db: LedgerDatabase): Promise<void> {
  // The suite leaves more open than a ledger has after years.
  await db.updateTable('payments').set({ state: 'applied' }).where('state', 'in', ['parked', 'reclaiming']).execute();
  const numbers = Array.from({ length: ROWS }, (_, index) => index);
  const insert = async <Table extends keyof LedgerTables>(
    table: Table,
    rowOf: (index: number) => Record<string, unknown>,
  ): Promise<void> => {
    for (let from = 0; from < ROWS; from += ROWS_AT_ONCE) {
      const rows = numbers.slice(from, from + ROWS_AT_ONCE).map(rowOf);
      await db
        .insertInto(table)
        .values(rows as never)
        .execute();
    }
  };
  const draft = newDraft();
  const sale = (index: number) => ({ sale_id: `old-${index}` });
  const segment = (index: number) => ({ ...sale(index), region: 'main', segment: 0 });
  const quota = (index: number) => ({ ...segment(index), channel: 'web' });
  const claim = (index: number) => ({
    ...{
      ...quota(index % 50),
      order_id: `old-${index}`,
      buyer_id: `old-${index % 2_000}`,
      units: 1,
      epoch: 1,
      seq: index,
    },
  });
  const atMs = (index: number) => 1_600_000_000_000 + index * 1_000;

  await insert('sales', (index) => ({
    ...{ id: `old-${index}`, title: 'old', total_units: 0, free_units: 0, allotted_units: 0, limit_units: 2 },
    ...{ starts_at_ms: draft.startsAtMs, ends_at_ms: draft.endsAtMs, hold_ms: 1, state: 'settled', version: 1 },
    ...{ kind: 'skin', items: null, price_amount: null, price_currency: null, price_points: null },
    ...{ time_zone: 'UTC', generation: 0, segments: 1, limit_group: null, is_told_sold_out: 0, is_told_unbalanced: 0 },
  }));
  await insert('segments', (index) => ({ ...segment(index), epoch: 1, settled_epoch: 1, settled_seq: 1 }));
  await insert('cuts', (index) => ({ ...segment(index), epoch: 1, through_epoch: 0, through_seq: 0 }));
  await insert('quotas', (index) => ({
    ...{ ...quota(index), allotted_units: 0, held_units: 0, sold_units: 0, quarantined_units: 0 },
  }));
  await insert('limit_scopes', (index) => ({ name: `old-${index}`, limit_units: 2, segment_count: 1, sale_count: 1 }));
  await insert('buyers', (index) => ({
    limit_scope: `old-${index % 50}`,
    buyer_id: `old-${index}`,
    limit_units: 2,
    units: 0,
  }));
  await insert('orders', (index) => ({
    ...{ ...claim(index), state: 'paid', refusal: null, settled_at_ms: atMs(index), due_at_ms: null },
  }));
  await insert('moves', (index) => ({
    ...quota(index % 50),
    id: `old-${index}`,
    units: 1,
    epoch: 1,
    state: 'applied',
  }));
  await insert('releases', (index) => ({
    ...{ ...claim(index), id: `old-${index}`, release_epoch: 1, state: 'delivered', destination: 'quota' },
  }));
  await insert('returns', (index) => ({
    ...{ ...quota(index % 50), id: `old-${index}`, wanted_units: 1, epoch: 1, state: 'finished', units: 1 },
  }));
  await insert('withdrawals', (index) => ({
    ...{ ...sale(index % 50), id: `old-${index}`, delivery: `d-${index}`, units: 1, state: 'withdrawn' },
  }));
  await insert('quarantine', (index) => ({
    ...{ ...sale(index % 50), id: `old-${index}`, claim: '{}', quarantined_units: 0, reason: 'old' },
  }));
  await insert('journal', (index) => ({
    ...{ ...quota(index % 50), from_account: 'atGate', to_account: 'sold', units: 1 },
    ...{ cause: 'order', cause_id: `old-${index}` },
  }));
  await insert('deliveries', (index) => ({ ...sale(index % 50), id: `old-${index}`, units: 1 }));
  await insert('order_events', (index) => ({
    ...{ ...sale(index % 50), order_id: `old-${index}`, buyer_id: `old-${index % 2_000}`, type: 'order.paid' },
    ...{ units: 1, state: 'paid', at_ms: atMs(index), handed_out_at_ms: atMs(index) },
  }));
  await insert('sale_events', (index) => ({
    ...{ ...sale(index), type: 'sale.closed', state: 'closed', total_units: 0, surplus_units: null },
    ...{ at_ms: atMs(index), handed_out_at_ms: atMs(index) },
  }));
  const [endpoint] = await db.selectFrom('webhook_endpoints').select('id').limit(1).execute();
  if (!endpoint) {
    await db
      .insertInto('webhook_endpoints')
      .values({
        ...{ id: 'old', url: 'https://old.example', event_types: null, secret: 's', old_secret: null },
        ...{ old_until_ms: null, created_at_ms: 1 },
      })
      .execute();
  }
  await insert('webhook_deliveries', (index) => ({
    ...{ endpoint_id: endpoint?.id ?? 'old', subject: `old-${index}`, source: 'order', event_number: index },
    ...{ state: 'dead', failures: 9, created_at_ms: 1, next_at_ms: atMs(index), claim_id: null, error: 'x' },
  }));
  await insert('payments', (index) => ({
    ...{ reference: `old-${index}`, outcome: 'paid', order_id: `old-${index}`, amount: null, state: 'applied' },
  }));
  await insert('charges', (index) => ({ order_id: `old-${index}`, points: 1, state: 'closed' }));
  await insert('parked_cancels', (index) => ({ order_id: `parked-${index}`, buyer_id: null }));
  await insert('idempotency_keys', (index) => ({
    ...{ id: `old ${index}`, scope: `old-${index % 50}`, fingerprint: 'f', holder: 'h' },
    // Old ones are forgotten.
    ...{ reserved_at_ms: Date.now() + index, status: 200, media_type: 'x', language: 'en', body: '' },
  }));
}
