/**
 * Runs the test suite on the other Node lines we support. Each Node comes from an npm package that holds the real
 * binary, kept in .cache beside the project: no version switcher needed, and nothing is added to our dependencies.
 * Arguments go to the tests: `npm run test:nodes -- ledger`.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const LINES = ['22', '24'];
const platform = `${process.platform}-${process.arch}`;
const root = dirname(dirname(fileURLToPath(import.meta.url)));

if (!['linux-x64', 'linux-arm64'].includes(platform)) {
  console.error(
    `Node binaries for ${platform} are not kept as npm packages we know; use your version switcher instead.`,
  );
  process.exit(1);
}

const verdicts = LINES.map((line) => {
  const binary = nodeOf(line);
  const version = spawnSync(binary, ['--version'], { encoding: 'utf8' }).stdout.trim();
  console.log(`\nNode ${version}`);
  const { status } = run(binary, [join('tools', 'run-tests.mjs'), ...process.argv.slice(2)]);
  return { version, ok: status === 0 };
});

console.log('');
for (const { version, ok } of verdicts) console.log(`${ok ? 'ok    ' : 'FAILED'} Node ${version}`);
process.exitCode = verdicts.every(({ ok }) => ok) ? 0 : 1;

function nodeOf(line) {
  const folder = join(root, '.cache', `node-${line}`);
  const name = `node-${platform}`;
  const binary = join(folder, 'node_modules', name, 'bin', 'node');
  if (existsSync(binary)) return binary;
  console.log(`fetching Node ${line} into .cache (once)`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  const npmCli = process.env.npm_execpath ?? '';
  const args = ['install', '--prefix', folder, '--no-audit', '--no-fund', '--loglevel=error', `${name}@${line}`];
  const viaNpm = basename(npmCli) === 'npm-cli.js';
  const { status } = viaNpm ? run(process.execPath, [npmCli, ...args]) : run('npm', args);
  if (status !== 0) {
    console.error(`Node ${line} could not be fetched.`);
    process.exit(1);
  }
  return binary;
}

function run(command, args) {
  return spawnSync(command, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
}
