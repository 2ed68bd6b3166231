/**
 * The site: the processes of a deployment with their stores, and the way a buyer's request takes to one of them. It brings
 * back a process that died.
 */
import { Fault } from '../domain/fault.ts';
import { InvariantError } from '../domain/invariant.ts';
import type { BuildEngine, EngineUnderTest } from './engine-under-test.ts';
import { createFarFeed } from './far-ports.ts';
import type { Memory, Stores } from './gate-server.ts';
import { launchProcess, type Running } from './launch-process.ts';
import { observedLedger, observedQueue, observedWallet, type Watch } from './observed-stores.ts';
import type { Faults, Plan } from './plan.ts';
import type { Process } from './process.ts';
import type { Receiver } from './receiver.ts';
import type { Report } from './violation.ts';
import type { World } from './world.ts';

export type Reply<Answer> =
  | { readonly kind: 'answer'; readonly answer: Answer }
  /** A fault, a closed connection, or nothing in time. */
  | { readonly kind: 'none' };

export interface Site {
  /** Sends one request to some process. `send` runs there; it gets the name of the process, too. */
  ask<Answer>(
    what: string,
    send: (engine: EngineUnderTest, process: string) => Promise<Answer>,
  ): Promise<Reply<Answer>>;
  /** Some living process dies. */
  kill(): void;
  /** Some living process does nothing for a while. */
  stall(ms: number): void;
  isStalled(): boolean;
  restartGate(memory: Memory): void;
  start(): void;
}

export interface SiteParts {
  readonly world: World;
  readonly plan: Plan;
  readonly faults: () => Faults;
  readonly stores: Stores;
  readonly watch: Watch;
  readonly report: Report;
  readonly buildEngine: BuildEngine;
  readonly receiver: Receiver | null;
}

/** Longer than an answer waits for settlement. */
const BUYER_PATIENCE_MS = 8_000;
const NO_ANSWER_PAUSE_MS = 200;
const LONGEST_RESTART_MS = 2_000;

export function createSite(parts: SiteParts): Site {
  const { world, plan, faults, stores, watch, report } = parts;
  const random = world.random.fork();
  const feed = createFarFeed(world, () => ({ lost: faults().hintsLost }));
  const queue = observedQueue(stores.queue, watch);
  const ledger = observedLedger(stores.ledger, watch);
  const wallet = plan.offer.kind === 'exchange' ? observedWallet(stores.wallet, watch) : null;
  const sharesWork = plan.segments > 1;
  const running: Running[] = [];
  let launched = 0;

  function launch(): void {
    launched += 1;
    const own = launchProcess({ ...parts, ...{ feed, queue, ledger, wallet, endWith, sharesWork } }, `p${launched}`);
    const { process, engine } = own;
    running.push(own);
    process.onDeath(() => {
      world.sometimes('process-died');
      running.splice(running.indexOf(own), 1);
      if (plan.isEmbedded) restartGate('lost');
      world.after(random.whole(0, LONGEST_RESTART_MS), launch);
    });
    // A process that cannot start ends, and is started again.
    engine.start().catch((error: unknown) => (error instanceof Fault ? process.die() : endWith(process, error)));
  }

  function endWith(process: Process, error: unknown): void {
    report('a process keeps its promises', null, `${process.name}: ${String(error)}`);
    process.die();
  }

  function restartGate(memory: Memory): void {
    world.note(`the gate is restarted, its memory ${memory}`);
    world.sometimes(`gate-${memory}`);
    stores.restart(memory);
    watch.auditor.gateRestarted();
    watch.group?.gateRestarted();
  }

  function some(): Running | null {
    const [first, ...others] = running;
    return first ? random.pick([first, ...others]) : null;
  }

  return {
    ask(what, send) {
      return new Promise((resolve) => {
        const none = () => resolve({ kind: 'none' });
        const asked = some();
        if (!asked) {
          world.after(NO_ANSWER_PAUSE_MS, none);
          return;
        }
        const { process, engine } = asked;
        const giveUp = world.after(BUYER_PATIENCE_MS, none);
        process.onDeath(none);
        const { requestLost, replyLost, slow, slowMs } = faults().buyer;
        const delay = () => (random.chance(slow) ? random.whole(0, slowMs) : random.whole(0, 3));
        const reply = (settle: () => void) => {
          if (random.chance(replyLost)) return;
          world.after(delay(), () => {
            giveUp();
            settle();
          });
        };
        if (random.chance(requestLost)) return;
        process.clock.after(delay(), () => {
          world.note(`${process.name} is asked ${what}`);
          send(engine, process.name).then(
            (answer) => {
              world.note(`${process.name} answers ${what}:${describe(answer)}`);
              reply(() => resolve({ kind: 'answer', answer }));
            },
            (error: unknown) => {
              if (error instanceof InvariantError || !(error instanceof Fault)) endWith(process, error);
              world.note(`${process.name} fails ${what}: ${String(error)}`);
              reply(none);
            },
          );
        });
      });
    },
    kill() {
      some()?.process.die();
    },
    stall(ms) {
      world.sometimes('process-stalled');
      some()?.process.stall(ms);
    },
    isStalled: () => running.some(({ process }) => process.isStalled),
    restartGate,
    start() {
      for (let each = 0; each < plan.processes; each++) launch();
    },
  };
}

const TOLD = ['kind', 'reason', 'status', 'state', 'units', 'receipt', 'retryAfterMs', 'leftUnits'] as const;

function describe(answer: unknown): string {
  if (typeof answer !== 'object' || answer === null) return String(answer);
  const fields = answer as Readonly<Record<string, unknown>>;
  let line = '';
  for (const key of TOLD) if (fields[key] !== undefined) line += ` ${String(fields[key])}`;
  return line;
}
