/**
 * A worker that is frozen inside an open transaction keeps its rows for ten seconds, not for as long as it is frozen: the server
 * ends what it had begun, the others settle the same claims, and when it wakes up it finds them settled.
 */
import { describe, expect, test } from 'vitest';
import type { Ledger } from '../../ports/ledger.ts';
import { brokenLaws, faultOf, newClaim, openSale, quotasOf } from '../../ports/ledger-fixture.contract.ts';
import { importOf, startChild } from './embedded/child-fixture.contract.ts';

export interface FrozenSubject {
  readonly name: string;
  /** Of this folder: the module and the functions that make a dialect over a pool. */
  readonly dialect: readonly [file: string, name: string];
  readonly pool: readonly [file: string, name: string];
  open(): Promise<{ readonly url: string; readonly ledger: Ledger; close(): Promise<void> }>;
}

const SLOW_MS = 120_000;
/** Of the server's patience with a transaction in which nothing happens, 10 s, and a little. */
const OTHERS_GO_ON_MS = 12_000;

/** Settles a group, and stops itself as soon as the orders are written and nothing is committed; goes on when it is woken. */
const workerOf = ({ dialect, pool }: FrozenSubject) => `
  import { writeSync } from 'node:fs';
  import { Kysely } from 'kysely';
  ${importOf(dialect[1], here(dialect[0]))}
  ${importOf(pool[1], here(pool[0]))}
  ${importOf('createSqlLedger', here('./ledger.ts'))}
  ${importOf('patientLedger', here('./patient-ledger.contract.ts'))}
  ${importOf('newClaim', here('../../ports/ledger-fixture.contract.ts'))}
  const dialect = ${dialect[1]}(${pool[1]}({ url: process.env.TEST_URL, maxConnections: 2 }));
  let isFresh = true;
  function log({ query }) {
    if (!isFresh || !/^insert into .orders/.test(query.sql)) return;
    isFresh = false;
    writeSync(1, 'frozen\\n');
    process.kill(process.pid, 'SIGSTOP');
  }
  const ledger = patientLedger(createSqlLedger(new Kysely({ dialect: dialect.kysely, log }), dialect));
  const claims = [1, 2, 3].map((seq) => newClaim(process.env.TEST_SALE, seq));
  for (;;) {
    try {
      const outcomes = await ledger.settlement.settle(claims);
      console.log(outcomes.map(({ kind }) => kind).join(' '));
      break;
    } catch (error) {
      console.log(error.code);
    }
  }
  process.exit(0);
`;

export function frozenWorkerContract(subject: FrozenSubject): void {
  describe(`a worker frozen inside a transaction of ${subject.name}`, () => {
    test('holds the others up for no longer than the server bears it, and wakes up to what is settled (G20)', {
      timeout: SLOW_MS,
    }, async () => {
      const { url, ledger, close } = await subject.open();
      const saleId = await openSale(ledger);
      const child = startChild(workerOf(subject), { TEST_URL: url, TEST_SALE: saleId });
      expect((await child.lines.next()).value).toBe('frozen');
      const frozenAtMs = performance.now();
      // What the frozen one has in hand, taken over, beside claims of another worker.
      const claims = [1, 2, 3, 4, 5].map((seq) => newClaim(saleId, seq));
      expect(await faultOf(() => ledger.sales.find(saleId))).toBeNull();
      const faults: string[] = [];
      for (let isSettled = false; !isSettled; ) {
        const fault = await faultOf(async () => {
          const outcomes = await ledger.settlement.settle(claims);
          expect(new Set(outcomes.map(({ kind }) => kind))).toEqual(new Set(['settled']));
          isSettled = true;
        });
        if (fault) faults.push(fault);
      }
      const heldUpMs = performance.now() - frozenAtMs;
      expect(heldUpMs).toBeLessThan(OTHERS_GO_ON_MS);
      // It did hold the rows: else this would prove nothing.
      expect(heldUpMs).toBeGreaterThan(2_000);

      child.process.kill('SIGCONT');
      const said: string[] = [];
      for await (const line of { [Symbol.asyncIterator]: () => child.lines }) said.push(line);
      expect(said.at(-1)).toBe('repeated repeated repeated');
      expect((await quotasOf(ledger, saleId))[0]?.heldUnits).toBe(5);
      expect(await brokenLaws(ledger, saleId)).toEqual([]);
      await close();
    });
  });
}

function here(file: string): string {
  return new URL(file, import.meta.url).href;
}
