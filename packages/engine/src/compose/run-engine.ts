/** An engine that runs on the stores that the settings name, whichever process it is in. */
import { systemClock } from '../adapters/system/clock.ts';
import { createIdSource } from '../adapters/system/ids.ts';
import { type LoopLag, watchLoopLag } from '../adapters/system/loop-lag.ts';
import { createPrometheusTelemetry, type PrometheusTelemetry } from '../adapters/system/prometheus.ts';
import { createSigner } from '../adapters/system/signing.ts';
import { createHttpSender } from '../adapters/webhook/http-sender.ts';
import type { Settings } from '../config/settings.ts';
import type { Fault } from '../domain/fault.ts';
import type { Ledger } from '../ports/ledger.ts';
import { buildEngine } from './build-engine.ts';
import { chooseStore } from './choose-store.ts';
import { type ChosenWallet, chooseWallet } from './choose-wallet.ts';
import type { Closers } from './closers.ts';
import type { DeploymentKeys } from './deployment-keys.ts';
import type { Engine } from './engine.ts';
import type { Logger } from './log.ts';
import { openLedger } from './open-ledger.ts';

export interface EngineOptions {
  readonly settings: Settings;
  readonly log: Logger;
  readonly keys: DeploymentKeys;
  /** Of SQLite's ledger. */
  readonly ledgerFile: string;
  readonly works: boolean;
  /** A sample wallet does no harm. */
  readonly isOneMachine: boolean;
  readonly onCrash: (error: unknown) => void;
  readonly onLost: (fault: Fault) => void;
  /** Looks at the ledger before anything is done with it; what it throws ends the start. */
  readonly mayUse?: (ledger: Ledger) => Promise<void>;
}

export interface RunningEngine {
  readonly engine: Engine;
  readonly ledger: Ledger;
  readonly wallet: ChosenWallet;
  readonly telemetry: PrometheusTelemetry;
  readonly lag: LoopLag;
  /** No buyer should be sent here while it is false. */
  isSafe(): boolean;
  /** Once it has ended: claims that were answered `queued` and never reached the ledger. */
  droppedClaims(): number;
}

const DROPPED = 'the ledger did not take every claim in time: what these buyers were told is lost';

/** What it opens is closed by the closers. */
export async function runEngine(closers: Closers, options: EngineOptions): Promise<RunningEngine> {
  const { settings, log, keys, ledgerFile, works, isOneMachine, onCrash, onLost } = options;
  const { ledger, close } = await openLedger({ settings, file: ledgerFile, onLost });
  closers.add(close);
  await options.mayUse?.(ledger);
  const idSource = createIdSource();
  const clock = systemClock;
  const store = await chooseStore({ settings, clock, idSource, log, ledgerId: ledger.identity.read });
  closers.add(() => store.close());
  const telemetry = createPrometheusTelemetry();
  const lag = watchLoopLag();
  closers.add(lag.stop);
  const wallet = chooseWallet(settings, isOneMachine);
  const webhookSender = createHttpSender({ networks: settings.webhookNetworks });
  closers.add(() => webhookSender.close());
  const engine = buildEngine({
    ...{ clock, idSource, signer: createSigner(keys.tokenKeys), ...store.parts, works },
    sharesWork: store.parts.isGateShared ?? false,
    ...{ ledger, onCrash, telemetry, bounds: settings, ceiling: settings, loopLagMs: lag.lagMs },
    ...{ webhookSender, ...(wallet.wallet && { wallet: wallet.wallet }) },
    ...(settings.saleSegments !== undefined && { saleSegments: settings.saleSegments }),
    onFault: ({ code, message }) => log.warn({ code, fault: message }, 'a fault, trying again'),
  });
  await engine.start();
  closers.add(() => engine.stop());
  let droppedClaims = 0;
  closers.add(async () => {
    engine.hurry();
    droppedClaims = await store.drain();
    if (droppedClaims > 0) log.error({ droppedClaims }, DROPPED);
  });
  return { engine, ledger, wallet, telemetry, lag, isSafe: store.isSafe, droppedClaims: () => droppedClaims };
}
