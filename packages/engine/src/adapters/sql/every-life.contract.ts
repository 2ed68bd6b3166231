/**
 * Every ordering of the steps of an order's life, over SQL. Orderings that begin alike share their beginning: the tree of
 * them is walked on one connection, a savepoint before each step and back to it after, so that each life costs one step. What the ledger does in a transaction it does in a savepoint here; the statements are its own.
 */
import { CompiledQuery, type DatabaseConnection, type Dialect, type Driver, Kysely, sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import type { Ledger } from '../../ports/ledger.ts';
import { brokenLaws, newClaim } from '../../ports/ledger-fixture.contract.ts';
import { livesIn, openHasty, orderings, STEPS, type Step } from '../../ports/order-life.contract.ts';
import type { SqlDialect } from './dialect.ts';
import { createSqlLedger } from './ledger.ts';
import type { LedgerDatabase, LedgerTables } from './schema.ts';

export interface EveryLifeSubject {
  readonly name: string;
  /** 6 are 8,659 lives; 5, where each statement is a slow way there and back, 3,619. */
  readonly longest: 5 | 6;
  /** Migrated. */
  open(): Promise<{ readonly dialect: SqlDialect; drop(): Promise<void> }>;
}

/** One transaction for all lives that begin alike for as long. */
const ROOT = 3;
/** Up to here each step is told twice, and the books are read. */
const LOOKED_AT_CLOSELY = 3;
const SLOW_MS = 300_000;

export function everyLifeContract(subject: EveryLifeSubject): void {
  describe(`an order in the ${subject.name} ledger`, { timeout: SLOW_MS }, () => {
    test(`ends right in every order of up to ${subject.longest} steps`, async () => {
      const { dialect, drop } = await subject.open();
      const db = new Kysely<LedgerTables>({ dialect: inSavepoints(dialect.kysely) });
      const ledger = createSqlLedger(db, dialect);
      let lives = 0;
      // Each begins from nothing: what was rolled back is in the way of those that follow, in some databases.
      for (const beginning of orderings(ROOT)) {
        await sql.raw('begin').execute(db);
        lives += await walkFrom({ db, ledger, longest: subject.longest }, beginning);
        await sql.raw('rollback').execute(db);
      }
      expect(lives).toBe(subject.longest === 6 ? 8_659 : 3_619);
      await db.destroy();
      await drop();
    });
  });
}

interface Tree {
  readonly db: LedgerDatabase;
  readonly ledger: Ledger;
  readonly longest: number;
}

/** As long as a root it is the root of all that begin so; shorter, a life of its own. Answers how many lives there were. */
async function walkFrom({ db, ledger, longest }: Tree, beginning: readonly Step[]): Promise<number> {
  const saleId = await openHasty(ledger, 10);
  const { live, checkEnd } = livesIn(() => ledger);
  const find = () => ledger.orders.find(newClaim(saleId, 1).orderId);
  let lives = 0;

  async function within(name: string, work: () => Promise<void>): Promise<void> {
    await sql.raw(`savepoint ${name}`).execute(db);
    await work();
    await sql.raw(`rollback to savepoint ${name}`).execute(db);
  }

  async function judge(steps: readonly Step[]): Promise<void> {
    lives++;
    await within('judged', async () => {
      const last = steps.at(-1);
      if (steps.length <= LOOKED_AT_CLOSELY && last) {
        const before = await find();
        await live(saleId, 1, last);
        expect(await find(), `${steps.join(' ')}, the last one twice`).toEqual(before);
        expect(await brokenLaws(ledger, saleId)).toEqual([]);
      }
      await checkEnd(saleId, 1, steps);
    });
  }

  async function walk(steps: readonly Step[]): Promise<void> {
    await judge(steps);
    if (steps.length < ROOT || steps.length === longest) return;
    for (const step of STEPS) {
      if (steps.includes(step)) continue;
      await within(`after_${steps.length}`, async () => {
        await live(saleId, 1, step);
        await walk([...steps, step]);
      });
    }
  }

  for (const step of beginning) await live(saleId, 1, step);
  await walk(beginning);
  return lives;
}

/** The same database over one connection, where a transaction is a savepoint within another that is there already. */
function inSavepoints(dialect: Dialect): Dialect {
  const run = (connection: DatabaseConnection, text: string) => connection.executeQuery(CompiledQuery.raw(text));
  return {
    createAdapter: () => dialect.createAdapter(),
    createIntrospector: (db) => dialect.createIntrospector(db),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createDriver(): Driver {
      const driver = dialect.createDriver();
      let only: Promise<DatabaseConnection> | null = null;
      return {
        init: () => driver.init(),
        acquireConnection: () => {
          only ??= driver.acquireConnection();
          return only;
        },
        beginTransaction: async (connection) => void (await run(connection, 'savepoint one_call')),
        commitTransaction: async (connection) => void (await run(connection, 'release savepoint one_call')),
        rollbackTransaction: async (connection) => void (await run(connection, 'rollback to savepoint one_call')),
        releaseConnection: async () => {},
        async destroy() {
          if (only) await driver.releaseConnection(await only);
          await driver.destroy();
        },
      };
    },
  };
}
