import { basename } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Ours come first, so that a test reads `@sluice/contract` from its source and needs no build. Node gets them too: `import` is
 * not among them, because a `require` would then be given an ES module.
 */
const conditions = ['source', 'node', 'default'];

/**
 * Where vitest has no durations of an earlier run it starts large files first, and a suite that is long because of a contract is a
 * small file: started last, it would run alone for a minute. Longest first; which they are is in the log of any run.
 */
const LONG_THOUGH_SMALL = [
  ...['simulation.test.ts', 'every-life.test.ts', 'refusals-leave-nothing.test.ts', 'cluster.test.ts'],
  ...['open-ledger.test.ts', 'database-ledger.test.ts', 'kill.test.ts', 'redis.test.ts', 'sentinel.test.ts'],
  ...['lease.test.ts', 'frozen-worker.test.ts', 'rebuilt.test.ts', 'crowd.test.ts', 'create-sqlite-ledger.test.ts'],
];

/**
 * Packages of hundreds of files, which each test file would read again: vitest makes one file of each, once, and keeps it. They
 * are those that run the same as one file.
 */
const MADE_ONE = ['typebox', 'typebox/value', '@fastify/type-provider-typebox', 'kysely', 'undici', 'fast-check'];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const at = LONG_THOUGH_SMALL.indexOf(basename(moduleId));
      return at < 0 ? LONG_THOUGH_SMALL.length : at;
    };
    // Stable: among those of one rank the order stays.
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    include: ['packages/*/src/**/*.test.ts', 'tests/**/*.test.ts'],
    // A process a worker: a test may open sockets, lock files and start worker threads of its own.
    pool: 'forks',
    maxWorkers: 2,
    deps: { optimizer: { ssr: { enabled: true, include: MADE_ONE } } },
    sequence: { sequencer: LongestFirst },
    testTimeout: 30_000,
    hookTimeout: 30_000,
    coverage: {
      provider: 'v8',
      include: ['packages/*/src/**/*.ts'],
      exclude: ['**/*.test.ts', '**/*.contract.ts'],
      reportsDirectory: '.cache/coverage',
    },
  },
});
