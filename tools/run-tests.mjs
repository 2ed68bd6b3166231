/**
 * Runs every test and closes with one line that people and machines read alike: `N passed, N failed`, and
 * `, N skipped` when there are any. Arguments go to vitest: `npm test -- lending -t 'refuses'`.
 *
 * Database servers come from Debian packages, unpacked into a cache folder the first time (tools/services).
 *
 * A run that ends badly without a failing test counts as one failure; a run that finds no test is a failed run.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What the suites start. */
const SERVERS = ['postgres', 'pgbouncer', 'mariadb', 'redis'];

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const scratch = mkdtempSync(join(tmpdir(), 'sluice-tests-'));

try {
  fetchServers();
  const reportFile = join(scratch, 'counts.json');
  const status = runVitest(reportFile);
  const { passed, failed, skipped } = readCounts(reportFile, status);
  if (passed + failed === 0) console.log('No test ran.');
  console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
  process.exitCode = status === 0 && failed === 0 && passed > 0 ? 0 : 1;
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

/** The servers that suites start; where one cannot be had, its suites say so. Costs nothing when they are there. */
function fetchServers() {
  const serve = join(root, 'tools', 'services', 'serve.mjs');
  spawnSync(process.execPath, [serve, '--fetch', ...SERVERS], { stdio: ['ignore', process.stderr, process.stderr] });
}

function runVitest(reportFile) {
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const args = [vitest, 'run', '--reporter=default', '--reporter=./tools/test-report.mjs', ...process.argv.slice(2)];
  const result = spawnSync(process.execPath, args, {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, TEST_REPORT: reportFile },
  });
  if (result.error) throw result.error;
  return result.status;
}

function readCounts(file, status) {
  let counts = { passed: 0, failed: 0, skipped: 0 };
  try {
    counts = JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    // vitest died before its end, which its status says.
  }
  return status !== 0 && counts.failed === 0 && counts.passed > 0 ? { ...counts, failed: 1 } : counts;
}
