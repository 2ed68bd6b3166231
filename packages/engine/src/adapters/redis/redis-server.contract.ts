/** A Redis of the tests' own: started by tools/services, stopped when the test process lets go of it, whatever became of it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Redis } from 'ioredis';

const SERVE = join(import.meta.dirname, '../../../../../tools/services/serve.mjs');

export interface RedisServer {
  readonly url: string;
  readonly port: number;
  /** For looks behind the adapter's back. */
  readonly admin: Redis;
  /** Of the running server. */
  pid(): number;
  /** As kill -9 would. */
  crash(): Promise<void>;
  /** On the same port; with its data when it is durable. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** A test that cannot find its server is told by name and reason; where everything must run, that is a failure. */
export type FoundServer = { readonly server: RedisServer } | { readonly missing: string };

export interface RedisServerOptions {
  readonly isDurable?: boolean;
  readonly service?: 'redis' | 'sentinel';
  /** As tools/services/serve.mjs takes them. */
  readonly flags?: readonly string[];
}

export async function startRedis({
  isDurable = false,
  service = 'redis',
  flags = [],
}: RedisServerOptions = {}): Promise<FoundServer> {
  const child = spawn(process.execPath, [SERVE, service, ...(isDurable ? ['--durable'] : []), ...flags], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<{ url?: string; missing?: string; pid?: number }> => {
    const { value } = await lines.next();
    return JSON.parse(String(value));
  };
  const { url, missing = 'it ended', pid } = await next();
  if (url === undefined) {
    if (process.env.CI === 'true') throw new Error(`no redis-server here: ${missing}`);
    console.warn(`left out: tests against a redis-server: ${missing}`);
    return { missing };
  }
  const admin = new Redis(url, { retryStrategy: () => 10, maxRetriesPerRequest: null, protocol: 2 });
  admin.on('error', () => {});
  let runningPid = pid ?? 0;
  const server: RedisServer = {
    ...{ url, port: Number(new URL(url).port), admin, pid: () => runningPid },
    async crash() {
      child.stdin.write('crash\n');
      await gone(runningPid);
    },
    async restart() {
      child.stdin.write('restart\n');
      runningPid = (await next()).pid ?? 0;
      await admin.ping();
    },
    async stop() {
      admin.disconnect();
      child.stdin.end();
      await once(child, 'exit');
    },
  };
  return { server };
}

async function gone(pid: number): Promise<void> {
  for (;;) {
    try {
      process.kill(pid, 0);
    } catch {
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
