/** What goes between the main thread and the ledger's worker. Everything passes structured clone; errors are taken apart. */
import { Fault, type FaultCode } from '../../../domain/fault.ts';
import { InvariantError } from '../../../domain/invariant.ts';
import type { LedgerCall } from '../ledger-methods.ts';

export interface WorkerSettings {
  readonly file: string;
}

export type ToWorker =
  | { readonly kind: 'call'; readonly id: number; readonly call: LedgerCall }
  | { readonly kind: 'close' };

export type FromWorker =
  | { readonly kind: 'open' }
  | { readonly kind: 'not_opened'; readonly error: SentError }
  | { readonly kind: 'answer'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'error'; readonly id: number; readonly error: SentError };

interface SentError {
  readonly kind: 'fault' | 'invariant' | 'other';
  readonly code: FaultCode | null;
  readonly message: string;
  readonly stack: string | undefined;
}

export function sendable(error: unknown): SentError {
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  if (error instanceof Fault) return { kind: 'fault', code: error.code, message, stack };
  return { kind: error instanceof InvariantError ? 'invariant' : 'other', code: null, message, stack };
}

/** The error as it was, with the worker's stack. */
export function received(sent: SentError): Error {
  const error = rebuilt(sent);
  if (sent.stack !== undefined) error.stack = sent.stack;
  return error;
}

function rebuilt({ kind, code, message }: SentError): Error {
  if (kind === 'fault' && code !== null) return new Fault(code, message);
  return kind === 'invariant' ? new InvariantError(message) : new Error(message);
}
