/** The HTTP listeners of one process: one for everybody, or one for buyers and one for operators. */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import type { Settings } from '../config/settings.ts';
import type { HttpDeps } from '../http/deps.ts';
import { createHttpServer } from '../http/server.ts';
import { cannotListen } from './cannot-start.ts';
import { isLoopback, localUrl } from './loopback.ts';

export interface Listeners {
  readonly url: string;
  readonly adminUrl: string;
  /** Takes no more connections, and ends when what is in hand is answered, or the time for that is up. */
  close(): Promise<void>;
}

export type ListenSettings = Pick<Settings, 'host' | 'port' | 'adminPort'>;

/** Longer than a purchase waits for its settlement. */
const DRAIN_MS = 10_000;

const LOOPBACK = '127.0.0.1';

/** Operators share the buyers' port only where nobody else can reach it; else theirs is on loopback, unless it was set. */
export async function listen(
  settings: ListenSettings,
  deps: Omit<HttpDeps, 'serves' | 'storefront'>,
): Promise<Listeners> {
  const { host, port, adminPort } = settings;
  const withPage = { ...deps, ...storefrontHere() };
  if (adminPort === undefined && isLoopback(host)) {
    const only = await listenOn(host, port, withPage);
    return { url: only.url, adminUrl: only.url, close: only.close };
  }
  const buyers = await listenOn(host, port, { ...withPage, serves: 'buyers' });
  try {
    const operators = await listenOn(adminPort === undefined ? LOOPBACK : host, adminPort ?? 0, {
      ...deps,
      serves: 'operators',
    });
    const close = async () => void (await Promise.all([buyers.close(), operators.close()]));
    return { url: buyers.url, adminUrl: operators.url, close };
  } catch (error) {
    await buyers.close();
    throw error;
  }
}

async function listenOn(host: string, port: number, deps: HttpDeps): Promise<{ url: string; close(): Promise<void> }> {
  const app = createHttpServer(deps);
  try {
    await app.listen({ host, port });
  } catch (error) {
    throw cannotListen(host, port, error);
  }
  const { port: boundPort } = app.server.address() as AddressInfo;
  return {
    url: localUrl(host, boundPort),
    async close() {
      const cutOff = setTimeout(() => app.server.closeAllConnections(), DRAIN_MS);
      try {
        await app.close();
      } finally {
        clearTimeout(cutOff);
      }
    },
  };
}

/** Nothing when it was not built. */
function storefrontHere(): Pick<HttpDeps, 'storefront'> {
  const storefront = join(dirname(createRequire(import.meta.url).resolve('@sluice/storefront/package.json')), 'dist');
  return existsSync(join(storefront, 'index.html')) ? { storefront } : {};
}
