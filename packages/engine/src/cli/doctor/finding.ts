/** What a check of doctor finds: each a sentence that says what to do, when there is something to do. */

export const FINDING_LEVELS = ['ok', 'warn', 'fail'] as const;

/** `warn`: it works, and somebody should look at it. `fail`: it does not work, or is not safe. */
export type FindingLevel = (typeof FINDING_LEVELS)[number];

export interface Finding {
  readonly check: string;
  readonly level: FindingLevel;
  readonly says: string;
}

export const ok = (check: string, says: string): Finding => ({ check, level: 'ok', says });
export const warn = (check: string, says: string): Finding => ({ check, level: 'warn', says });
export const fail = (check: string, says: string): Finding => ({ check, level: 'fail', says });
