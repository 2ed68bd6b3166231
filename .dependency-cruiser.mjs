/**
 * Which folder may import which. One row a folder: what it may name of ours, and whether packages or Node's own modules
 * are open to it. `npm run check:imports` turns each row into one rule; a row that is not here forbids everything.
 *
 * Tests and contract suites may import across (a suite compares an adapter with the memory one); nothing may import them.
 */
const ENGINE = '^packages/engine/src';
const CODES = '^packages/contract/src/codes/';
const TESTS = '\\.(test|contract)\\.ts$|^tests/';
const PACKAGES = 'node_modules';
const STAGES = '(gateway|gate|queue|ledger|reconcile)';

const engine = (...names) => names.map((name) => `${ENGINE}/${name}/`);
const INSIDE = ['domain', 'ports'];

/** from, may import (besides itself), libraries: may it name packages and Node's modules? */
const directions = [
  { name: 'contract', from: '^packages/contract/src/', may: [], libraries: true },
  { name: 'contract/codes', from: CODES, may: [], libraries: false },
  { name: 'storefront', from: '^packages/storefront/src/', may: ['^packages/(contract|sdk)/src/'], libraries: true },
  { name: 'domain', from: `${ENGINE}/domain/`, may: [CODES], libraries: false },
  { name: 'ports', from: `${ENGINE}/ports/`, may: engine('domain'), libraries: false },
  { name: 'funnel', from: `${ENGINE}/funnel/`, may: engine(...INSIDE, 'inventory'), libraries: false },
  { name: 'inventory', from: `${ENGINE}/inventory/`, may: engine(...INSIDE), libraries: false },
  { name: 'adapters/memory', from: `${ENGINE}/adapters/memory/`, may: engine(...INSIDE), libraries: false },
  {
    name: 'adapters',
    from: `${ENGINE}/adapters/([^/]+)/`,
    self: `${ENGINE}/adapters/$1/`,
    may: engine(...INSIDE),
    libraries: true,
  },
  {
    name: 'http',
    from: `${ENGINE}/http/`,
    may: ['^packages/contract/src/', ...engine(...INSIDE, 'funnel', 'inventory')],
    libraries: true,
  },
  { name: 'config', from: `${ENGINE}/config/`, may: [], libraries: true },
  {
    name: 'compose',
    from: `${ENGINE}/compose/`,
    may: [
      '^packages/contract/src/',
      ...engine(...INSIDE, 'funnel', 'inventory', 'adapters', 'http', 'config', 'simulate'),
    ],
    libraries: true,
  },
  {
    name: 'simulate',
    from: `${ENGINE}/simulate/`,
    may: engine(...INSIDE, 'funnel', 'inventory', 'adapters/memory'),
    libraries: false,
  },
  { name: 'bench', from: `${ENGINE}/bench/`, may: ['^packages/contract/src/', ...engine('adapters')], libraries: true },
  {
    name: 'cli',
    from: `${ENGINE}/cli/`,
    may: ['^packages/contract/src/', ...engine('config', 'compose', 'simulate', 'bench')],
    libraries: true,
  },
];

function directionRule({ name, from, self = from, may, libraries }) {
  return {
    name: `direction: ${name}`,
    severity: 'error',
    comment: `${name} may import ${[...may.map(readable), ...(libraries ? ['packages', 'node:*'] : [])].join(', ') || 'nothing'}.`,
    from: { path: from, pathNot: TESTS },
    to: {
      pathNot: [self, ...may, ...(libraries ? [PACKAGES] : [])],
      ...(libraries ? { dependencyTypesNot: ['core'] } : {}),
    },
  };
}

function readable(pattern) {
  return pattern
    .replace(`${ENGINE}/`, '')
    .replace(/^\^packages\//, '')
    .replace(/\/$/, '');
}

export default {
  forbidden: [
    ...directions.map(directionRule),
    {
      name: 'every folder has a direction',
      severity: 'error',
      comment: 'A new folder of the engine needs its row in .dependency-cruiser.mjs first.',
      from: { path: '^packages/engine/src/', pathNot: [TESTS, ...directions.map((row) => row.from)] },
      to: {},
    },
    {
      name: 'funnel stages never import each other',
      severity: 'error',
      comment: 'purchase.ts and fulfil.ts give the order of the stages; a stage knows only ports.',
      from: { path: `${ENGINE}/funnel/${STAGES}/`, pathNot: TESTS },
      to: { path: `${ENGINE}/funnel/${STAGES}/`, pathNot: `${ENGINE}/funnel/$1/` },
    },
    {
      name: 'no import of tests',
      severity: 'error',
      comment: 'What runs for a user never names a test, a contract suite or a test library.',
      from: { path: '^packages/', pathNot: TESTS },
      to: { path: `${TESTS}|node_modules/(vitest|fast-check|@vitest)/` },
    },
    {
      name: 'no cycle',
      severity: 'error',
      comment: 'Two files that need each other are one idea in two places; types count too.',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no unresolvable import',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'no undeclared package',
      severity: 'error',
      comment: 'A package is named in the package.json of the workspace that imports it.',
      from: { path: '^packages/[^/]+/src/', pathNot: TESTS },
      // tsx alone is excused: the .mjs that starts a worker thread names it, and only when it runs from the sources.
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown', 'npm-dev'], pathNot: 'node_modules/tsx/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^packages/[^/]+/dist/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['source', 'import', 'node', 'default'],
      extensions: ['.ts', '.mjs', '.js', '.json'],
    },
  },
};
