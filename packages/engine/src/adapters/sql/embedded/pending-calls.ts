/** Calls that were sent and not answered yet. */
import { Fault } from '../../../domain/fault.ts';

/** What may wait is some seconds of work; more means that the other side does not get on. */
const MAX_PENDING_CALLS = 4096;

interface PendingCall {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

export interface PendingCalls {
  /** `send` gets the id that the answer will carry. */
  add(send: (id: number) => void): Promise<unknown>;
  answer(id: number, value: unknown): void;
  fail(id: number, error: Error): void;
  failAll(error: Error): void;
}

export function createPendingCalls(): PendingCalls {
  const calls = new Map<number, PendingCall>();
  let lastId = 0;

  function take(id: number): PendingCall | undefined {
    const call = calls.get(id);
    calls.delete(id);
    return call;
  }

  return {
    async add(send) {
      if (calls.size >= MAX_PENDING_CALLS) {
        throw new Fault('ledger_unavailable', `The ledger has ${calls.size} calls waiting.`);
      }
      lastId += 1;
      const id = lastId;
      send(id);
      return new Promise((resolve, reject) => calls.set(id, { resolve, reject }));
    },
    answer: (id, value) => take(id)?.resolve(value),
    fail: (id, error) => take(id)?.reject(error),
    failAll(error) {
      for (const call of calls.values()) call.reject(error);
      calls.clear();
    },
  };
}
