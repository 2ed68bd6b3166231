/** Puts one process of the site together: an engine at the near end of its wires. */
import type { Ledger } from '../ports/ledger.ts';
import type { Queue } from '../ports/queue.ts';
import type { Wallet } from '../ports/wallet.ts';
import type { BuildEngine, EngineUnderTest } from './engine-under-test.ts';
import { type FarFeed, farGate, farLedger, farQueue, farWallet, type LedgerWires } from './far-ports.ts';
import type { Stores } from './gate-server.ts';
import { observedGate, type Watch } from './observed-stores.ts';
import type { Faults, Period } from './plan.ts';
import { createProcess, type Process } from './process.ts';
import { RECEIVER_PATIENCE_MS, type Receiver } from './receiver.ts';
import { createPlainSigner } from './signer.ts';
import type { Report } from './violation.ts';
import { createWire, type Wire, type WireFaults } from './wire.ts';
import type { World } from './world.ts';

export interface LaunchParts {
  readonly world: World;
  readonly faults: () => Faults;
  readonly stores: Stores;
  readonly watch: Watch;
  readonly buildEngine: BuildEngine;
  readonly feed: FarFeed;
  /** As the auditors watch them. */
  readonly queue: Queue;
  readonly ledger: Ledger;
  /** Only where something is sold for points. */
  readonly wallet: Wallet | null;
  /** Its claims are settled by several, a share each. */
  readonly sharesWork: boolean;
  readonly receiver: Receiver | null;
  readonly report: Report;
  readonly endWith: (process: Process, error: unknown) => void;
}

export interface Running {
  readonly process: Process;
  readonly engine: EngineUnderTest;
}

/** Client libraries of gate and ledger give up after these. */
const GATE_PATIENCE_MS = 800;
const LEDGER_PATIENCE_MS = 3_000;
const WALLET_PATIENCE_MS = 1_000;

/** Everybody's: a token of one process is good at another. */
export const SIGNING_KEY = 'key of the world';

export function launchProcess(parts: LaunchParts, name: string): Running {
  const { world, faults, stores, watch, ledger, endWith } = parts;
  const { skewMs } = faults();
  const process = createProcess(world, name, world.random.whole(-skewMs, skewMs));
  world.note(`${name} starts`);
  const ends = { world, process };
  const { wire, settlementWire, gateWire } = layWires(parts, process);
  const engine = parts.buildEngine({
    clock: process.clock,
    idSource: process.idSource,
    signer: createPlainSigner(SIGNING_KEY),
    gate: farGate(observedGate(stores.gate, watch, name), gateWire),
    queue: farQueue(parts.queue, { ...ends, wire: gateWire, hints: () => ({ lost: faults().hintsLost }) }),
    feed: parts.feed.at(process),
    ledger: farLedger(ledger, { wire, settlementWire }),
    sharesWork: parts.sharesWork,
    ...(parts.wallet && { wallet: farWallet(parts.wallet, layWalletWire(parts, process)) }),
    ...(parts.receiver && layReceiverWire(parts, process, parts.receiver)),
    onFault({ code }) {
      world.note(`${name} meets ${code}`);
      if (code === 'ledger_rolled_back') parts.report('a ledger that forgets nothing is believed', null, name);
    },
    onCrash: (error) => endWith(process, error),
  });
  return { process, engine };
}

/** To the gate's server, and two to the ledger. */
function layWires({ world, faults }: LaunchParts, process: Process): LedgerWires & { readonly gateWire: Wire } {
  const ledgerFaults = () => withOutages(faults().ledger, faults().ledgerOutages, world.nowMs());
  const gateFaults = () => withOutages(faults().gate, faults().gateOutages, world.nowMs());
  const toLedger = {
    world,
    process,
    server: 'ledger',
    unavailable: 'ledger_unavailable',
    patienceMs: LEDGER_PATIENCE_MS,
  } as const;
  const toGate = {
    world,
    process,
    server: 'gate',
    unavailable: 'gate_unavailable',
    patienceMs: GATE_PATIENCE_MS,
  } as const;
  return {
    gateWire: createWire({ ...toGate, faults: gateFaults }),
    wire: createWire({ ...toLedger, faults: ledgerFaults }),
    settlementWire: createWire({ ...toLedger, faults: () => slowed(ledgerFaults(), faults().settlement) }),
  };
}

function layWalletWire({ world, faults }: LaunchParts, process: Process): Wire {
  const end = {
    world,
    process,
    server: 'wallet',
    unavailable: 'wallet_unavailable',
    patienceMs: WALLET_PATIENCE_MS,
  } as const;
  return createWire({ ...end, faults: () => faults().wallet });
}

/** What is tried again is spread by the world's own chance. */
function layReceiverWire({ world, faults }: LaunchParts, process: Process, receiver: Receiver) {
  const random = world.random.fork();
  const end = { world, process, server: 'receiver', unavailable: 'outcome_unknown' } as const;
  const wire = createWire({ ...end, faults: () => faults().receiver, patienceMs: RECEIVER_PATIENCE_MS });
  return { webhookSender: receiver.senderOn(wire), random: () => random.whole(0, 999_999) / 1_000_000 };
}

function withOutages(faults: WireFaults, outages: readonly Period[], nowMs: number): WireFaults {
  const isOut = outages.some(({ fromMs, toMs }) => nowMs >= fromMs && nowMs < toMs);
  return isOut ? { ...faults, unsent: 1 } : faults;
}

function slowed(faults: WireFaults, by: WireFaults): WireFaults {
  return faults.slow * faults.slowMs > by.slow * by.slowMs ? faults : { ...faults, slow: by.slow, slowMs: by.slowMs };
}
