/**
 * Everything in one process: gate and queue in memory or in Redis, a ledger on SQLite or in a database, HTTP. It owns what it
 * opens. Promises: a data directory and a ledger have one process; what was answered is not lost; a stop drains, and a start
 * mends what a kill left open.
 */
import { resolve } from 'node:path';
import { holdDataDirectory } from '../adapters/sql/embedded/data-directory.ts';
import { createBuyerJwt } from '../adapters/system/buyer-jwt.ts';
import { systemClock } from '../adapters/system/clock.ts';
import type { Settings } from '../config/settings.ts';
import type { Fault } from '../domain/fault.ts';
import type { Sale } from '../domain/sale/sale.ts';
import type { Ledger } from '../ports/ledger.ts';
import { answeringWith, jwtClaimsOf } from './answering.ts';
import { CannotStart } from './cannot-start.ts';
import type { ChosenWallet } from './choose-wallet.ts';
import { createClosers } from './closers.ts';
import {
  areKeysOpen,
  hasKeys,
  isPrivate,
  removeEndpoint,
  writeEndpoint,
  writeLedgerAddress,
} from './deployment-files.ts';
import { type DeploymentKeys, lostKeysSentence, type PreparedKeys, prepareKeys } from './deployment-keys.ts';
import type { Engine } from './engine.ts';
import { databaseAddress, refuseAnotherDatabase, refuseLedgerElsewhere } from './ledger-address.ts';
import { listen } from './listen.ts';
import type { Logger } from './log.ts';
import { isLoopback } from './loopback.ts';
import { runEngine } from './run-engine.ts';
import { openSampleSales } from './sample-sales.ts';

export interface EmbeddedOptions {
  readonly settings: Settings;
  readonly log: Logger;
  /** A broken promise of our own: the process should end, and recover by starting again. */
  readonly onCrash: (error: unknown) => void;
  /** Another process has the ledger now: this one must end. As a crash when not given. */
  readonly onLost?: (fault: Fault) => void;
  /** The keys of a deployment that has sold are lost: make new ones, and let everything that was signed be void. */
  readonly newKeys?: boolean;
}

export interface StopReport {
  /** Claims that were answered `queued` and never reached the ledger, because it did not take them in time. */
  readonly droppedClaims: number;
}

export interface EmbeddedDeployment {
  readonly url: string;
  readonly adminUrl: string;
  /** Absolute. */
  readonly dataDir: string;
  /** Which one has the ledger, without user and password; null when it is in the data directory. */
  readonly database: string | null;
  /** Nobody but this user can read what is in it. */
  readonly isPrivate: boolean;
  /** The keys were there before the ledger, which has no sale: another one may have been in its place. */
  readonly hasOlderKeys: boolean;
  readonly engine: Engine;
  /** Empty when the operator's own sales are there instead. */
  readonly sampleSales: readonly Sale[];
  readonly wallet: ChosenWallet['kind'];
  /** Anybody who can reach the port may be any buyer. */
  readonly hasDevIdentity: boolean;
  readonly trustedProxies: readonly string[];
  /** Answers what is in hand, settles what is queued, closes everything. */
  stop(): Promise<StopReport>;
}

const OLDER_KEYS =
  'the ledger is empty, though keys.json was here before it: if this deployment has sold before, stop it and bring its ledger back';

const DEV_JWT_LIFETIME_MS = 12 * 60 * 60_000;

export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedDeployment> {
  const { settings, log, onCrash, onLost = onCrash } = options;
  const closers = createClosers();
  try {
    const { databaseUrl } = settings;
    if (databaseUrl === undefined) refuseLedgerElsewhere(resolve(settings.dataDir));
    else refuseAnotherDatabase(resolve(settings.dataDir), databaseUrl);
    const directory = await holdDataDirectory(settings.dataDir, { isLedgerElsewhere: databaseUrl !== undefined });
    closers.add(() => directory.release());
    const dataDir = directory.path;
    const hadKeys = hasKeys(dataDir);
    const prepared = prepareKeys(dataDir, settings);
    const { keys } = prepared;
    if (areKeysOpen(dataDir))
      log.warn({ dataDir }, 'others than its owner may read keys.json: make it `chmod 600`, and its keys new ones');

    const running = await runEngine(closers, {
      ...{ settings, log, keys, onCrash, onLost, ledgerFile: directory.ledgerFile },
      ...{ works: true, isOneMachine: isOneMachine(settings, keys) },
      mayUse: (ledger) => keepKeys(prepared, { ledger, dataDir, newKeys: options.newKeys ?? false }),
    });
    const { engine, ledger, wallet } = running;
    const database = databaseUrl === undefined ? null : databaseAddress(databaseUrl);
    if (database !== null) writeLedgerAddress(dataDir, database);
    const hasOlderKeys = hadKeys && (await ledger.sales.list()).length === 0;
    if (hasOlderKeys) log.warn({ dataDir }, OLDER_KEYS);
    const sampleSales = await openSampleSales(engine, ledger.sales, systemClock);

    const answering = answeringWith(running, { settings, log, keys });
    const listeners = await listen(settings, { ...answering.deps, ...devIdentityFor(settings, keys) });
    closers.add(() => listeners.close());
    const { url, adminUrl } = listeners;
    writeEndpoint(dataDir, { url, adminUrl, pid: process.pid });
    closers.add(() => removeEndpoint(dataDir));
    closers.add(answering.end);

    const hasDevIdentity = isOneMachine(settings, keys);
    return {
      ...{ url, adminUrl, dataDir, engine, sampleSales, hasDevIdentity, trustedProxies: answering.deps.trustedProxies },
      ...{ wallet: wallet.kind, database, hasOlderKeys, isPrivate: isPrivate(dataDir) },
      async stop() {
        await closers.closeAll();
        return { droppedClaims: running.droppedClaims() };
      },
    };
  } catch (error) {
    // What could not be opened is what there is to tell, whatever closing the rest says.
    await closers.closeAll().catch((closing: unknown) => log.warn({ err: closing }, 'closing after a failed start'));
    throw error;
  }
}

interface KeysOf {
  readonly ledger: Ledger;
  readonly dataDir: string;
  readonly newKeys: boolean;
}

/** Keys that nobody asked for, beside a ledger with orders, would make void what its buyers have, without a word. */
async function keepKeys(prepared: PreparedKeys, { ledger, dataDir, newKeys }: KeysOf): Promise<void> {
  if (prepared.hasNewTokenKeys && !newKeys) {
    const { orders } = await ledger.orders.list({}, null, 1);
    if (orders.length > 0) throw new CannotStart(lostKeysSentence(dataDir));
  }
  prepared.keep();
}

/** A key that the operator uses elsewhere, or a port that others reach, must not make buyers of strangers. */
function isOneMachine(settings: Settings, keys: DeploymentKeys): boolean {
  return isLoopback(settings.host) && keys.isJwtKeyGenerated;
}

function devIdentityFor(settings: Settings, keys: DeploymentKeys): { devIdentity?: (buyerId: string) => string } {
  if (!isOneMachine(settings, keys)) return {};
  const claims = jwtClaimsOf(settings);
  return { devIdentity: createBuyerJwt({ secret: keys.jwtKey, ...claims, lifetimeMs: DEV_JWT_LIFETIME_MS }) };
}
