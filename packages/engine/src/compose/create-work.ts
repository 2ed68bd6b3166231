/**
 * The work behind the answers: claims are settled, orders expire, points are taken, stock is kept. Any number of processes may
 * do it: each step is decided where it is written, and done once.
 */
import { noTelemetry } from '../adapters/memory/telemetry.ts';
import type { SegmentKey } from '../domain/inventory/quota.ts';
import { createBalanceWatch } from '../funnel/balance-watch.ts';
import { type ChargerDeps, createCharger } from '../funnel/charger.ts';
import { type BreakerState, type CircuitBreaker, createCircuitBreaker } from '../funnel/ledger/circuit-breaker.ts';
import { type CeilingReading, createSettlementCeiling, NO_CEILING } from '../funnel/ledger/settlement-ceiling.ts';
import { settlementWithBreaker } from '../funnel/ledger/settlement-with-breaker.ts';
import { settlementWithCeiling } from '../funnel/ledger/settlement-with-ceiling.ts';
import { settlementWithTelemetry } from '../funnel/ledger/settlement-with-telemetry.ts';
import { createSegmentShare } from '../funnel/queue/segment-share.ts';
import { createRelay } from '../funnel/relay.ts';
import { createSweeper, type SweeperDeps } from '../funnel/sweeper.ts';
import { WALLET_BREAKER, walletWithBreaker } from '../funnel/wallet-with-breaker.ts';
import { createWorker, type WorkerDeps } from '../funnel/worker.ts';
import { createKeeper, type KeeperDeps } from '../inventory/keeper.ts';
import type { EngineParts } from './engine.ts';

export interface WorkDeps {
  readonly stocking: Omit<KeeperDeps, 'onFault' | 'onCrash'> & Pick<WorkerDeps, 'gate' | 'queue' | 'session'>;
  readonly living: Omit<SweeperDeps, 'onCrash'>;
  readonly ledgerBreaker: CircuitBreaker;
}

export interface Work {
  /** Null: there is no wallet. */
  walletBreaker(): BreakerState | null;
  ceiling(): CeilingReading;
  /** Settlement rests no more. */
  liftCeiling(): void;
  /** Of a share of the segments: whether this process should do what is to be done for one. */
  isOurs(segment: SegmentKey): boolean;
  /** Loads the gate for every sale first. */
  start(): Promise<void>;
  /** Ends after what is in hand is settled. */
  stop(): Promise<void>;
}

export function createWork(parts: EngineParts, { stocking, living, ledgerBreaker }: WorkDeps): Work {
  const { clock, idSource, feed, ledger, onFault, onCrash, telemetry = noTelemetry } = parts;
  const counted = settlementWithTelemetry(ledger.settlement, telemetry, clock);
  const ceiling = createSettlementCeiling(clock, parts.ceiling ?? NO_CEILING);
  const settlement = settlementWithBreaker(settlementWithCeiling(counted, ceiling, clock), ledgerBreaker, clock);
  const consumer = idSource.newId();
  const { roster, quarantine } = ledger;
  const share = parts.sharesWork ? createSegmentShare({ clock, roster, worker: consumer, onFault, onCrash }) : null;
  const settling = { settlement, quarantine, ceiling, feed, consumer, ...(share && { isOurs: share.isOurs }) };
  const worker = createWorker({ ...stocking, ...settling, onRest: telemetry.settlementRested, onFault, onCrash });
  const keeper = createKeeper({ ...stocking, onFault, onCrash });
  const sweeper = createSweeper({ ...living, onCrash });
  const charging = openWallet(parts, { ...living, onCrash });
  const relay = openRelay(parts);
  const balanceWatch = createBalanceWatch({ ...stocking, onFault, onCrash });
  return {
    walletBreaker: () => charging?.breaker.state ?? null,
    ceiling: ceiling.read,
    liftCeiling: ceiling.lift,
    isOurs: (segment) => share?.isOurs(segment) ?? true,
    async start() {
      await keeper.round();
      share?.start();
      worker.start();
      keeper.start();
      sweeper.start();
      charging?.charger.start();
      relay?.start();
      balanceWatch.start();
    },
    async stop() {
      await balanceWatch.stop();
      await relay?.stop();
      await charging?.charger.stop();
      await sweeper.stop();
      await keeper.stop();
      await worker.stop();
      await share?.stop();
    },
  };
}

function openRelay({ webhookSender: sender, ledger, clock, idSource, telemetry = noTelemetry, ...parts }: EngineParts) {
  if (!sender) return null;
  const { outbox, webhooks } = ledger;
  const { onFault, onCrash, random = Math.random } = parts;
  return createRelay({
    ...{ outbox, webhooks, sender, clock, idSource, telemetry, onFault, onCrash, random },
  });
}

function openWallet({ wallet, telemetry = noTelemetry }: EngineParts, deps: Omit<ChargerDeps, 'wallet' | 'askWallet'>) {
  if (!wallet) return null;
  const breaker = createCircuitBreaker(deps.clock, WALLET_BREAKER);
  const told = walletWithBreaker(wallet, breaker, telemetry);
  return { breaker, charger: createCharger({ ...deps, wallet: told, askWallet: () => breaker.ask() }) };
}
