import { defineConfig } from 'vitest/config';

/**
 * Ours come first, so that a test reads `@sluice/contract` from its source and needs no build. Node gets them too: `import` is
 * not among them, because a `require` would then be given an ES module.
 */
const conditions = ['source', 'node', 'default'];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    include: ['packages/*/src/**/*.test.ts', 'tests/**/*.test.ts'],
    // A process a worker: a test may open sockets, lock files and start worker threads of its own.
    pool: 'forks',
    maxWorkers: 2,
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
