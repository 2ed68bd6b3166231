/**
 * Runs `sluice` as a user does: the built program, as a process of its own, on a data directory that nobody else uses.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';
import { type RushOptions, type RushReport, runRush } from '../packages/engine/src/bench/rush.ts';
import { readKeys } from '../packages/engine/src/compose/deployment-files.ts';

const SLUICE = fileURLToPath(new URL('../packages/engine/bin/sluice.mjs', import.meta.url));

/** A machine under load takes its time to start a process. */
const START_TIMEOUT_MS = 30_000;

/** A test that fails half way leaves no process and no directory behind. */
const leftovers = new Set<() => unknown>();

afterAll(async () => {
  for (const end of [...leftovers].reverse()) await end();
});

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunningSluice {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  readonly dataDir: string;
  /** Ends the process, and answers when it has ended. */
  end(signal: NodeJS.Signals): Promise<Finished>;
  readonly finished: Promise<Finished>;
}

interface LaunchOptions {
  readonly dataDir: string;
  readonly port?: number;
  readonly env?: Readonly<Record<string, string>>;
}

export function newDataDir(): string {
  const parent = mkdtempSync(join(tmpdir(), 'sluice-'));
  leftovers.add(() => rmSync(parent, { recursive: true, force: true }));
  return join(parent, 'data');
}

/** A command that ends by itself. */
export function runSluice(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Finished> {
  return launch(args, env).finished;
}

/** Starts a deployment and waits until it is open; throws what it said when it does not open. */
export async function startSluice(options: LaunchOptions): Promise<RunningSluice> {
  const { opened, ...process } = launchDeployment(options);
  return { ...process, ...(await opened) };
}

/** Likewise, without waiting. */
export function launchDeployment({ dataDir, port = 0, env = {} }: LaunchOptions) {
  const args = ['start', '--json', '--data-dir', dataDir, '--port', String(port)];
  const { finished, end, firstLine } = launch(args, env);
  const opened = firstLine.then((line) => {
    const { url, pid } = JSON.parse(line) as { readonly url: string; readonly pid: number };
    return { url, pid, port: Number(new URL(url).port) };
  });
  // Whoever does not wait for it does not care.
  opened.catch(() => undefined);
  return { dataDir, finished, end, opened };
}

export interface SharedSluice {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** Ends the process, and answers when it has ended. */
  end(signal: NodeJS.Signals): Promise<Finished>;
}

/** One of the processes of a deployment that is more than one; open when this answers. */
export async function startRole(
  role: 'serve' | 'worker',
  env: Readonly<Record<string, string>>,
  port = 0,
): Promise<SharedSluice> {
  const { firstLine, end, pid } = launch([role, '--json', '--port', String(port)], env);
  const { url } = JSON.parse(await firstLine) as { readonly url: string };
  return { url, port: Number(new URL(url).port), pid, end };
}

function launch(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, [SLUICE, ...args], {
    env: { ...cleanEnvironment(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  leftovers.add(() => child.kill('SIGKILL'));
  let stdout = '';
  let stderr = '';
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const finished = new Promise<Finished>((resolve) => {
    child.on('close', (code) => resolve({ code, stdout, stderr }));
  });
  const firstLine = new Promise<string>((resolve, reject) => {
    const timeout = setTimeout(
      () => reject(new Error(`nothing said for ${START_TIMEOUT_MS} ms: ${stderr}`)),
      START_TIMEOUT_MS,
    );
    child.stdout.on('data', (chunk) => {
      stdout += chunk;
      if (stdout.includes('\n')) resolve(stdout.slice(0, stdout.indexOf('\n')));
    });
    void finished.then(({ code }) => {
      clearTimeout(timeout);
      reject(new Error(`ended with ${code}: ${stderr}`));
    });
  });
  firstLine.catch(() => undefined);
  const end = (signal: NodeJS.Signals) => {
    child.kill(signal);
    return finished;
  };
  return { finished, firstLine, end, pid: child.pid ?? 0 };
}

/** Settings of the one who runs the tests are not the tests'. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('SLUICE_')));
}

export type Crowd = Partial<RushOptions> & Pick<RushOptions, 'sale'>;

/** A crowd from this process, for the figures that a command would print. */
export function rushAt(
  { url, dataDir }: { readonly url: string; readonly dataDir: string },
  crowd: Crowd,
): Promise<RushReport> {
  const { adminKey = '', jwtKey = '' } = readKeys(dataDir);
  return rushWithKeys({ url, adminKey, jwtKey }, crowd);
}

/** Likewise, at a deployment whose keys are not in a data directory. */
export function rushWithKeys(
  { url, adminKey, jwtKey }: { readonly url: string; readonly adminKey: string; readonly jwtKey: string },
  crowd: Crowd,
): Promise<RushReport> {
  return runRush({
    ...{ url, adminUrl: url, adminKey, jwtKey, buyerClaim: 'sub', buyers: 300, units: 1 },
    ...{ overMs: 500, profile: 'herd', bots: 0, connections: 100 },
    ...{ doubleClicks: 0.25, retries: 0.2, secondTokens: 0.2, patienceMs: 60_000, seed: 1 },
    ...crowd,
  });
}
