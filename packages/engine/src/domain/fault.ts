/**
 * Faults: the world failed us (a disk, a socket, a clock). Thrown, never returned; a refusal is a value and an invariant is
 * a crash. `retryable` says whether the same call may be sent again as it is; `outcome_unknown` says that it may have been
 * carried out already.
 */
export const FAULT_CODES = {
  ledger_unavailable: { retryable: true, means: 'The ledger cannot be reached or written at the moment.' },
  ledger_conflict: { retryable: true, means: 'Two transactions were in each other’s way, and this one was undone.' },
  ledger_refused: { retryable: false, means: 'The database does not let this user in, or does not exist.' },
  ledger_constraint: { retryable: false, means: 'The ledger refused rows that break one of its laws.' },
  ledger_held: { retryable: false, means: 'Another process sells from this ledger.' },
  ledger_half_migrated: {
    retryable: false,
    means: 'A step of the schema was broken off, and the database keeps half of it.',
  },
  ledger_newer: { retryable: false, means: 'The ledger was written by a newer version of Sluice.' },
  ledger_rolled_back: { retryable: true, means: 'The ledger has come back without its last commits.' },
  storage_full: { retryable: true, means: 'The disk that holds the ledger is full.' },
  storage_unusable: { retryable: false, means: 'The data directory cannot be created, read or written.' },
  data_dir_held: { retryable: false, means: 'Another process holds the data directory.' },
  gate_unavailable: { retryable: true, means: 'The gate cannot be reached at the moment.' },
  gate_unusable: { retryable: false, means: 'The gate server is set up such that it could lose what it holds.' },
  wallet_unavailable: { retryable: true, means: 'The wallet cannot be reached, or does not answer as agreed.' },
  outcome_unknown: { retryable: true, means: 'A call was sent and its answer was lost.' },
} as const satisfies Record<string, { retryable: boolean; means: string }>;

export type FaultCode = keyof typeof FAULT_CODES;

export class Fault extends Error {
  override readonly name = 'Fault';
  readonly code: FaultCode;
  readonly retryable: boolean;

  constructor(code: FaultCode, message: string = FAULT_CODES[code].means, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.retryable = FAULT_CODES[code].retryable;
  }
}

/** A gate was away, or its answer was: nothing that others wait for. */
export function isGateFault(error: unknown): error is Fault {
  return error instanceof Fault && (error.code === 'gate_unavailable' || error.code === 'outcome_unknown');
}
