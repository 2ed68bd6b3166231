/** The HTTP listeners of one process: one for everybody, or one for buyers and one for operators. */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import type { Settings } from '../config/settings.ts';
import type { HttpDeps } from '../http/deps.ts';
import type { HttpServer } from '../http/route.ts';
import { createHttpServer } from '../http/server.ts';
import { cannotListen } from './cannot-start.ts';
import { isLoopback, localUrl } from './loopback.ts';
import { watchSockets } from './open-sockets.ts';

export interface Listeners {
  readonly url: string;
  readonly adminUrl: string;
  /**
   * First asks whoever calls to connect anew, and goes on answering for a grace time: callers on kept connections, and
   * balancers, get to know. Then takes no more connections, and ends when what is in hand is answered or its time is up.
   */
  close(): Promise<void>;
}

export type ListenSettings = Pick<Settings, 'host' | 'port' | 'adminPort' | 'maxConnections'>;

/** What a busy caller takes to use each of its kept connections once more, and so to be told that they end. */
const GRACE_MS = 1_000;

/** Longer than a purchase waits for its settlement. */
const DRAIN_MS = 10_000;

const LOOPBACK = '127.0.0.1';

/** Operators share the buyers' port only where nobody else can reach it; else theirs is on loopback, unless it was set. */
export async function listen(
  settings: ListenSettings,
  deps: Omit<HttpDeps, 'serves' | 'storefront' | 'isDraining'>,
  graceMs: number = GRACE_MS,
): Promise<Listeners> {
  const { host, port, adminPort, maxConnections } = settings;
  const withPage = { ...deps, ...storefrontHere() };
  if (adminPort === undefined && isLoopback(host)) {
    const only = await listenOn({ host, port, maxConnections, graceMs }, withPage);
    return { url: only.url, adminUrl: only.url, close: only.close };
  }
  const buyers = await listenOn({ host, port, maxConnections, graceMs }, { ...withPage, serves: 'buyers' });
  try {
    const place = { host: adminPort === undefined ? LOOPBACK : host, port: adminPort ?? 0, maxConnections, graceMs };
    const operators = await listenOn(place, { ...deps, serves: 'operators' });
    const close = async () => void (await Promise.all([buyers.close(), operators.close()]));
    return { url: buyers.url, adminUrl: operators.url, close };
  } catch (error) {
    await buyers.close();
    throw error;
  }
}

/** For who has no buyers: health and metrics, on the operators' port where there is one. */
export async function listenForHealth(
  { host, port, adminPort, maxConnections }: ListenSettings,
  deps: Omit<HttpDeps, 'serves' | 'storefront' | 'isDraining'>,
): Promise<Listeners> {
  const place = { host, port: adminPort ?? port, maxConnections, graceMs: 0 };
  const only = await listenOn(place, { ...deps, serves: 'nobody' });
  return { url: only.url, adminUrl: only.url, close: only.close };
}

interface Place {
  readonly host: string;
  readonly port: number;
  /** 0: no bound. */
  readonly maxConnections: number;
  readonly graceMs: number;
}

async function listenOn(
  { host, port, maxConnections, graceMs }: Place,
  deps: HttpDeps,
): Promise<{ url: string; close(): Promise<void> }> {
  let isDraining = false;
  const logger = deps.logger === false ? false : deps.logger.child({});
  const app = createHttpServer({ ...deps, logger, isDraining: () => isDraining });
  // Who opens sockets and says nothing takes no more of this process than this (slowloris).
  if (maxConnections > 0) app.server.maxConnections = maxConnections;
  const sockets = watchSockets(app.server);
  try {
    await listenQuietly(app, { host, port });
  } catch (error) {
    throw cannotListen(host, port, error);
  }
  const { port: boundPort } = app.server.address() as AddressInfo;
  return {
    url: localUrl(host, boundPort),
    async close() {
      isDraining = true;
      const silentSince = new Set(sockets.silent());
      await sockets.gone(graceMs);
      await sockets.noneWaiting();
      app.server.close();
      const closed = app.close();
      for (const socket of sockets.silent()) if (silentSince.has(socket)) socket.destroy();
      // A connection that came during the grace time gets its own: its first request may be on the way.
      const endSilent = setTimeout(() => sockets.silent().forEach((socket) => void socket.destroy()), graceMs);
      const cutOff = setTimeout(() => app.server.closeAllConnections(), DRAIN_MS);
      try {
        await closed;
      } finally {
        clearTimeout(endSilent);
        clearTimeout(cutOff);
      }
    },
  };
}

/** Fastify would log each address, before it is known that everything opens; whoever starts a deployment says it once. */
async function listenQuietly(app: HttpServer, place: Pick<Place, 'host' | 'port'>): Promise<void> {
  const { level } = app.log;
  app.log.level = 'warn';
  await app.listen(place);
  app.log.level = level;
}

/** Nothing when it was not built. */
function storefrontHere(): Pick<HttpDeps, 'storefront'> {
  const storefront = join(dirname(createRequire(import.meta.url).resolve('@sluice/storefront/package.json')), 'dist');
  return existsSync(join(storefront, 'index.html')) ? { storefront } : {};
}
