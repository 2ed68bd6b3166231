/**
 * One of several processes of a deployment, which share a gate in Redis and a ledger in a database: one that serves HTTP, or one
 * that works behind it. It keeps nothing of its own, so that any of them may be killed, and more started, at any time.
 */
import type { Settings } from '../config/settings.ts';
import { answeringWith } from './answering.ts';
import { CannotStart } from './cannot-start.ts';
import { createClosers } from './closers.ts';
import { type DeploymentKeys, keysOf } from './deployment-keys.ts';
import { listen, listenForHealth } from './listen.ts';
import type { Logger } from './log.ts';
import { runEngine } from './run-engine.ts';

export type Role = 'serve' | 'worker';

export interface SharedOptions {
  readonly role: Role;
  readonly settings: Settings;
  readonly log: Logger;
  readonly onCrash: (error: unknown) => void;
}

export interface SharedProcess {
  readonly url: string;
  readonly adminUrl: string;
  stop(): Promise<void>;
}

/** What every process of a deployment must be told alike. */
const SHARED_SETTINGS = {
  redisUrl: 'SLUICE_REDIS_URL',
  databaseUrl: 'SLUICE_DATABASE_URL',
  jwtKey: 'SLUICE_JWT_KEY',
  adminKey: 'SLUICE_ADMIN_KEY',
  serverKey: 'SLUICE_SERVER_KEY',
  tokenKeys: 'SLUICE_TOKEN_KEYS',
} as const satisfies Partial<Record<keyof Settings, string>>;

export async function startShared({ role, settings, log, onCrash }: SharedOptions): Promise<SharedProcess> {
  const keys = sharedKeys(role, settings);
  const closers = createClosers();
  try {
    const running = await runEngine(closers, {
      ...{ settings, log, keys, onCrash, onLost: onCrash, ledgerFile: '' },
      ...{ works: role === 'worker', isOneMachine: false },
    });
    const answering = answeringWith(running, { settings, log, keys });
    const listeners = await (role === 'serve' ? listen : listenForHealth)(settings, answering.deps);
    closers.add(() => listeners.close());
    closers.add(answering.end);
    return { url: listeners.url, adminUrl: listeners.adminUrl, stop: () => closers.closeAll() };
  } catch (error) {
    await closers.closeAll().catch((closing: unknown) => log.warn({ err: closing }, 'closing after a failed start'));
    throw error;
  }
}

/** Keys that one of them made up would be strange to the others. */
function sharedKeys(role: Role, settings: Settings): DeploymentKeys {
  const missing = Object.entries(SHARED_SETTINGS).filter(([key]) => settings[key as keyof Settings] === undefined);
  if (missing.length === 0) return keysOf({}, settings);
  const names = missing.map(([, name]) => name).join(', ');
  throw new CannotStart(
    `\`sluice ${role}\` shares a deployment with other processes and must be told what they are told: set ${names}. On one machine, \`sluice start\` needs none of them.`,
  );
}
