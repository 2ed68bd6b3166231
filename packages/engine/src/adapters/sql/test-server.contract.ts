/**
 * Real database servers for tests: started for the file that asks, gone when it ends. `TEST_POSTGRES_URL` and
 * `TEST_MARIADB_URL` name servers of your own to use instead; what a suite creates there it removes.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, test } from 'vitest';

const SERVE = fileURLToPath(new URL('../../../../../tools/services/serve.mjs', import.meta.url));

interface Ready {
  readonly kind: 'ready';
  readonly url: string;
  /** Undefined for a server of your own, which tests do not crash. */
  readonly crash?: () => void;
  /** While it is down: its data is kept as it is, or is again what was kept. */
  readonly keep?: () => void;
  readonly putBack?: () => void;
  /** Resolves when it takes connections again. */
  readonly restart?: () => Promise<void>;
}

export type TestServer = Ready | { readonly kind: 'missing'; readonly reason: string };

interface ServerOptions {
  /** Written through to the disk, for tests that kill it. */
  readonly isDurable?: true;
  /** A folder with `server.crt` and `server.key`. */
  readonly tls?: string;
  /** Of a pooler: the port of the server behind it. */
  readonly before?: string;
}

/** Called while a test file is read. What is missing on a laptop is skipped by name; in CI it is an error. */
export async function startTestServer(
  name: 'postgres' | 'pgbouncer' | 'mariadb',
  { isDurable, before, tls }: ServerOptions = {},
): Promise<TestServer> {
  const own = process.env[`TEST_${name.toUpperCase()}_URL`];
  if (own) return { kind: 'ready', url: own };
  const child = spawn(
    process.execPath,
    [
      SERVE,
      name,
      ...(isDurable ? ['--durable'] : []),
      ...(before ? [`--before=${before}`] : []),
      ...(tls ? [`--tls=${tls}`] : []),
    ],
    {
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  );
  const nextLine = linesOf(child);
  const said = await nextLine();
  if (!said?.url) {
    const reason = said?.missing ?? 'it said nothing';
    if (process.env.CI === 'true') throw new Error(`${name} is missing, and CI needs it: ${reason}`);
    return { kind: 'missing', reason };
  }
  const ended = new Promise((resolve) => child.once('exit', resolve));
  afterAll(async () => {
    child.stdin?.end();
    await ended;
  });
  return {
    kind: 'ready',
    url: said.url,
    crash: () => child.stdin?.write('crash\n'),
    keep: () => child.stdin?.write('keep\n'),
    putBack: () => child.stdin?.write('put-back\n'),
    async restart() {
      child.stdin?.write('restart\n');
      const again = await nextLine();
      if (!again?.url) throw new Error(`${name} does not come back: ${again?.missing ?? 'it said nothing'}`);
    },
  };
}

/** A suite over a server, or its name with the reason why it is left out. */
export function describeWithServer(name: string, server: TestServer, suite: (server: Ready) => void): void {
  if (server.kind === 'ready') describe(name, () => suite(server));
  else describe(name, () => test.todo(`is left out here: ${server.reason}`));
}

interface Line {
  readonly url?: string;
  readonly missing?: string;
}

/** Null after the last line. */
function linesOf(child: ChildProcess): () => Promise<Line | null> {
  if (!child.stdout) throw new Error('its output is a pipe');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return async () => {
    const { value, done } = await lines.next();
    return done ? null : (JSON.parse(value) as Line);
  };
}
