import { expect, test } from 'vitest';
import { readKeys } from '../packages/engine/src/compose/deployment-files.ts';
import { newDataDir, runSluice, rushAt, startSluice } from './sluice-process.ts';

const TEST_TIMEOUT_MS = 60_000;

test(
  'units of those who never pay are sold again to the last, and nothing is wrong',
  async () => {
    const sluice = await startSluice({ dataDir: newDataDir() });
    const { serverKey = '' } = readKeys(sluice.dataDir);
    const report = await rushAt(sluice, {
      ...{ sale: { kind: 'fresh', stock: 100, limit: 1, holdMs: 3_000 }, buyers: 400, patienceMs: 20_000 },
      payments: { serverKey, neverPay: 0.2, payLate: 0, cancel: 0 },
    });
    expect(report.violations).toEqual([]);
    expect(report.payments.neverPaid).toBeGreaterThan(5);
    // Each unit that was not paid for has had a second order; money that came too late has had none.
    expect(report.orders).toBe(100 + report.payments.neverPaid + report.payments.refundDue);
    expect(report.places).toMatchObject({ sold: 100, held: 0, available: 0, total: 100, balanced: true });

    const orders = await fetch(`${sluice.url}/v1/admin/sales/${report.sale}/orders?state=expired&format=ndjson`, {
      headers: { authorization: `Bearer ${readKeys(sluice.dataDir).adminKey}` },
    });
    const [first = '', ...rest] = (await orders.text()).trimEnd().split('\n');
    expect(rest.length + 1).toBe(report.payments.neverPaid);
    const { orderId } = JSON.parse(first) as { readonly orderId: string };
    const here = ['--json', '--data-dir', sluice.dataDir];
    const paid = await runSluice(['order', 'pay', orderId, '--reference', 'late', ...here]);
    expect(paid).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(paid.stdout)).toMatchObject({ orderId, payment: 'reclaiming', repeated: false });
    const shown = async () => {
      const { code, stdout, stderr } = await runSluice(['order', 'show', orderId, ...here]);
      return code === 0 ? JSON.parse(stdout) : stderr;
    };
    await expect.poll(shown, { timeout: 10_000 }).toMatchObject({ status: 'paid_unfulfilled' });
    const payment = { reference: 'late', outcome: 'paid', amount: null, state: 'refund_due' };
    expect((await shown()).payments).toEqual([payment]);
    const unknown = await runSluice(['order', 'pay', 'A'.repeat(22), '--reference', 'x', ...here.slice(1)]);
    expect(unknown).toMatchObject({ code: 0, stdout: expect.stringContaining('No order of this id is in the ledger') });
    const cancelled = await runSluice(['order', 'cancel', orderId, ...here]);
    expect(cancelled).toMatchObject({ code: 1, stderr: expect.stringContaining('--outcome refunded') });
    await sluice.end('SIGTERM');
  },
  TEST_TIMEOUT_MS,
);
