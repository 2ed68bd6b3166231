/**
 * A wire between a process and a server. A call is two happenings, the arrival of the request and the arrival of the answer,
 * and the world may lose either, delay either, or let the request arrive twice. Who has waited long enough is told
 * `outcome_unknown`, whatever becomes of the request.
 */
import { Fault, type FaultCode } from '../domain/fault.ts';
import type { Process } from './process.ts';
import type { World } from './world.ts';

/** Chances in [0, 1] for each call; all of them 0 is a wire that works. */
export interface WireFaults {
  /** Nothing is sent, and the caller knows. */
  readonly unsent: number;
  readonly requestLost: number;
  readonly replyLost: number;
  readonly duplicated: number;
  /** The request or the answer takes up to `slowMs`: longer than its caller waits, or than its deadline. */
  readonly slow: number;
  readonly slowMs: number;
  /** The caller dies just before the answer arrives. */
  readonly callerDies: number;
}

export const NO_FAULTS: WireFaults = {
  unsent: 0,
  requestLost: 0,
  replyLost: 0,
  duplicated: 0,
  slow: 0,
  slowMs: 0,
  callerDies: 0,
};

export interface WireParts {
  readonly world: World;
  readonly process: Process;
  /** What this wire leads to, as the trace calls it. */
  readonly server: string;
  readonly faults: () => WireFaults;
  /** What the caller is told when nothing could be sent. */
  readonly unavailable: FaultCode;
  /** How long the caller waits for an answer. */
  readonly patienceMs: number;
}

export interface Wire {
  /** `what` names the call and its subject for the trace. */
  call<Answer>(what: string, run: () => Promise<Answer>): Promise<Answer>;
}

const USUAL_DELAY_MS = 4;

export function createWire(parts: WireParts): Wire {
  const { world, process, server } = parts;
  const random = world.random.fork();

  function delay(faults: WireFaults): number {
    return random.chance(faults.slow) ? random.whole(0, faults.slowMs) : random.whole(0, USUAL_DELAY_MS);
  }

  return {
    call<Answer>(what: string, run: () => Promise<Answer>): Promise<Answer> {
      const faults = parts.faults();
      return new Promise<Answer>((resolve, reject) => {
        if (!process.isAlive) return;
        const line = `${process.name} ${server} ${what}`;
        if (random.chance(faults.unsent)) {
          world.note(`${line} unsent`);
          process.clock.after(1, () => reject(new Fault(parts.unavailable)));
          return;
        }
        const giveUp = process.clock.after(parts.patienceMs, () => {
          world.sometimes('outcome-unknown');
          world.note(`${line} given up`);
          reject(new Fault('outcome_unknown'));
        });
        const reply = (settle: () => void) => {
          if (random.chance(faults.replyLost)) {
            world.sometimes(`${server}-reply-lost`);
            world.note(`${line} answer lost`);
            return;
          }
          process.clock.after(delay(faults), () => {
            if (random.chance(faults.callerDies)) return process.die();
            giveUp();
            settle();
          });
        };
        const arrive = (reply: (settle: () => void) => void) => {
          run().then(
            (answer) => {
              world.note(`${line} -> ${summaryOf(answer)}`);
              reply(() => resolve(answer));
            },
            (error: unknown) => {
              world.note(`${line} !! ${String(error)}`);
              reply(() => reject(error));
            },
          );
        };
        if (random.chance(faults.requestLost)) world.note(`${line} request lost`);
        else world.after(delay(faults), () => arrive(reply));
        if (random.chance(faults.duplicated)) {
          world.sometimes('request-duplicated');
          world.after(delay(faults), () => arrive(() => {}));
        }
      });
    },
  };
}

/** Enough of an answer to tell two histories apart. */
function summaryOf(answer: unknown): string {
  if (Array.isArray(answer)) return `[${answer.map(summaryOf).join(' ')}]`;
  if (typeof answer !== 'object' || answer === null) return String(answer);
  if ('kind' in answer) return String(answer.kind);
  return 'epoch' in answer ? `epoch ${String(answer.epoch)}` : 'read';
}
