/** What the embedded ledger has answered is there after a restart, whatever ended the process. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { brokenLaws, faultOf, newClaim, openSale, stockOf } from '../../../ports/ledger-fixture.contract.ts';
import { type Child, importOf, startChild } from './child-fixture.contract.ts';
import { createSqliteLedger, ledgerOfWorker, startWorker } from './create-sqlite-ledger.ts';

const KILLS = 3;
/** Settles one group after another, and prints each order only when the ledger has answered. */
const SELLER = `
  ${importOf('createSqliteLedger', './create-sqlite-ledger.ts')}
  ${importOf('newClaim', '../../../ports/ledger-fixture.contract.ts')}
  const ledger = await createSqliteLedger({ file: process.env.TEST_FILE });
  let seq = Number(process.env.TEST_FIRST_SEQ);
  async function sell() {
    for (;;) {
      const claims = Array.from({ length: 1 + (seq % 7) }, () => newClaim(process.env.TEST_SALE, seq++));
      await ledger.settlement.settle(claims);
      console.log(claims.map((claim) => claim.orderId).join('\\n'));
    }
  }
  await Promise.all([sell(), sell(), sell()]);
`;

/** A worker that starts from source compiles as it goes: seconds on a busy machine, each time. */
const SLOW_START_MS = 120_000;

describe('the embedded ledger', { timeout: SLOW_START_MS }, () => {
  let file: string;
  beforeEach(() => {
    file = join(mkdtempSync(join(tmpdir(), 'sluice-durability-')), 'ledger.db');
  });
  afterEach(() => rmSync(join(file, '..'), { recursive: true }));

  test('keeps everything over a restart', async () => {
    const first = await createSqliteLedger({ file });
    const saleId = await openSale(first);
    const [outcome] = await first.settlement.settle([newClaim(saleId, 1)]);
    const stock = await stockOf(first, saleId);
    await first.close();

    const second = await createSqliteLedger({ file });
    expect(await second.orders.find(newClaim(saleId, 1).orderId)).toEqual(outcome?.order);
    expect(await stockOf(second, saleId)).toEqual(stock);
    expect(await second.settlement.settle([newClaim(saleId, 1)])).toMatchObject([{ kind: 'repeated' }]);
    expect(await brokenLaws(second, saleId)).toEqual([]);
    await second.close();
  });

  test('answers the calls that were sent before it was closed', async () => {
    const ledger = await createSqliteLedger({ file });
    const saleId = await openSale(ledger);
    const settled = Promise.all([1, 2, 3].map((seq) => ledger.settlement.settle([newClaim(saleId, seq)])));
    await ledger.close();
    expect((await settled).flat().map((outcome) => outcome.kind)).toEqual(['settled', 'settled', 'settled']);
    expect(await faultOf(() => ledger.sales.list())).toBe('ledger_unavailable');
  });

  test('has every order that it answered after kill -9, and half of nothing', async () => {
    const setUp = await createSqliteLedger({ file });
    const saleId = await openSale(setUp, { totalUnits: 1_000_000 });
    await setUp.close();
    const answered: string[] = [];
    for (let kill = 1; kill <= KILLS; kill += 1) {
      const variables = { TEST_FILE: file, TEST_SALE: saleId, TEST_FIRST_SEQ: String(kill * 100_000) };
      answered.push(...(await linesUntilKilled(startChild(SELLER, variables), 40 * kill)));
    }

    const ledger = await createSqliteLedger({ file });
    expect(answered.length).toBeGreaterThan(KILLS * 40);
    for (const orderId of answered) expect(await ledger.orders.find(orderId), orderId).not.toBeNull();
    expect(await brokenLaws(ledger, saleId)).toEqual([]);
    await ledger.close();
  });

  test('when its worker dies, tells sent calls from later ones', async () => {
    const worker = startWorker({ file });
    const ledger = await ledgerOfWorker(worker);
    const saleId = await openSale(ledger);
    const sent = faultOf(() => ledger.settlement.settle([newClaim(saleId, 1)]));
    const ended = worker.terminate();
    expect(await sent).toBe('outcome_unknown');
    await ended;
    expect(await faultOf(() => ledger.settlement.settle([newClaim(saleId, 1)]))).toBe('ledger_unavailable');
    await ledger.close();
  });

  test('carries a fault with its code and sentence, and a broken promise as one', async () => {
    const missing = join(file, 'nowhere', 'ledger.db');
    expect(await faultOf(() => createSqliteLedger({ file: missing }))).toBe('storage_unusable');
    const ledger = await createSqliteLedger({ file });
    await expect(
      ledger.settlement.settle(Array.from({ length: 501 }, (_, at) => newClaim('sale', at))),
    ).rejects.toMatchObject({
      name: 'InvariantError',
      message: 'broken promise: a group has at most 500 claims',
    });
    await ledger.close();
  });
});

/** Reads `count` lines, kills, and reads on: what was printed before the end counts, too. */
async function linesUntilKilled(child: Child, count: number): Promise<readonly string[]> {
  const lines: string[] = [];
  let killed: Promise<void> | null = null;
  for (;;) {
    const next = await child.lines.next();
    if (next.done) break;
    lines.push(next.value);
    if (lines.length === count) killed = child.kill();
  }
  await killed;
  return lines;
}
