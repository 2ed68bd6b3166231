import type { KnipConfig } from 'knip';

export default {
  ignoreExportsUsedInFile: { interface: true, type: true },
  workspaces: {
    '.': {
      // Started by other tools through their paths; what a package script starts is found without help.
      entry: ['tools/{tidy,check-imports,test-report,generate}.mjs', 'tools/services/serve.mjs', 'tests/**/*.test.ts'],
      project: ['tools/**/*.mjs', '!tools/spikes/**', 'tests/**/*.ts'],
      // The first two are started by tools/check.mjs through their files; the others by workers and property tests.
      ignoreBinaries: ['apt-get', 'openssl'],
      ignoreDependencies: ['oxlint', 'oxlint-tsgolint', 'tsx', 'fast-check'],
    },
    'packages/contract': {
      project: ['src/**/*.ts'],
    },
    'packages/engine': {
      entry: ['src/cli/main.ts', 'src/bench/floor/{main,echo-server}.ts', 'src/**/*.mjs'],
      project: ['src/**/*.{ts,mjs}', 'bin/**/*.mjs'],
      // Its files are served, not imported.
      ignoreDependencies: ['@sluice/storefront'],
    },
    'examples/webhook-receiver': {
      entry: ['main.mjs'],
      project: ['*.mjs'],
    },
    'packages/storefront': {
      entry: ['src/page.ts'],
      project: ['src/**/*.ts'],
    },
  },
} satisfies KnipConfig;
