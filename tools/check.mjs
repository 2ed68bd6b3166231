/**
 * `npm run check`: every rule that a tool can hold, each under its own name. `node tools/check.mjs types dead` runs
 * the named ones. All run to their end, so that one visit shows everything that is wrong.
 */
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const modules = join(root, 'node_modules');
const tsc = join(modules, 'typescript', 'bin', 'tsc');

/** Slowest first, so that two cores end at about the same time. */
const steps = [
  {
    name: 'types',
    holds: 'every file compiles, tests too',
    run: [compile('tsconfig.json', 'types'), compile('packages/storefront/tsconfig.json', 'storefront')],
  },
  {
    name: 'inside',
    holds: 'the inside names nothing of the outside',
    run: [compile('packages/engine/tsconfig.inside.json', 'inside')],
  },
  { name: 'imports', holds: 'imports follow the tree, without cycles', run: [['tools/check-imports.mjs']] },
  {
    name: 'dead',
    holds: 'no file, export or package is unused',
    run: [[bin('knip', 'bin/knip.js'), '--no-config-hints']],
  },
  {
    name: 'lint',
    holds: 'promises awaited, switches exhaustive, no clock or dice inside',
    run: [[bin('oxlint', 'bin/oxlint'), '--type-aware', '--deny-warnings']],
  },
  {
    name: 'generated',
    holds: 'generated files say what they are made from',
    run: [['--conditions=source', '--import', 'tsx', 'tools/generate.mjs', '--check']],
  },
  { name: 'tidy', holds: 'sizes, names, leftovers', run: [['tools/tidy.mjs']] },
  {
    name: 'style',
    holds: 'format and lint',
    run: [[bin('@biomejs/biome', 'bin/biome'), 'check', '--error-on-warnings', '--max-diagnostics=50']],
  },
];

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !steps.some((step) => step.name === name));
if (unknown.length > 0) {
  console.error(`no check is called ${unknown.join(', ')}; there are ${steps.map((step) => step.name).join(', ')}`);
  process.exit(2);
}

const started = performance.now();
const queue = steps.filter((step) => wanted.length === 0 || wanted.includes(step.name));
const failed = [];
await Promise.all(Array.from({ length: Math.max(2, availableParallelism()) }, work));
console.log(failed.length === 0 ? `check: all good, ${since(started)}` : `check: failed: ${failed.join(', ')}`);
process.exitCode = failed.length === 0 ? 0 : 1;

async function work() {
  for (let step = queue.shift(); step; step = queue.shift()) await report(step);
}

async function report(step) {
  const stepStarted = performance.now();
  let output = '';
  let ok = true;
  for (const args of step.run) {
    const result = await node(args);
    output += result.output;
    ok &&= result.ok;
  }
  if (!ok) failed.push(step.name);
  const mark = ok ? 'ok    ' : 'FAILED';
  console.log(`${mark} ${step.name.padEnd(8)} ${since(stepStarted).padStart(6)}  ${step.holds}`);
  if (output.trim() !== '' && (!ok || step.name === 'tidy')) console.log(output.trimEnd().replace(/^/gm, '         '));
}

function node(args) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    child.stdout.on('data', (chunk) => (output += chunk));
    child.stderr.on('data', (chunk) => (output += chunk));
    child.on('error', reject);
    child.on('close', (code) => resolve({ ok: code === 0, output }));
  });
}

function since(from) {
  return `${((performance.now() - from) / 1000).toFixed(1)} s`;
}

function bin(packageName, file) {
  return join(modules, packageName, file);
}

/** Incremental: a second look at an unchanged tree takes half the time. */
function compile(project, name) {
  return [tsc, '-p', project, '--incremental', '--tsBuildInfoFile', join('.cache', `${name}.tsbuildinfo`)];
}
