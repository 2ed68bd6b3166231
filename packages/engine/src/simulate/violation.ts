/** What the auditors found: the promise that was broken, whom it concerns, and what was seen instead. */
export interface Violation {
  /** The promise, as a sentence: the same for every violation of it. */
  readonly invariant: string;
  /** The order, move or release concerned; null when it concerns the sale. */
  readonly subject: string | null;
  readonly detail: string;
  readonly atMs: number;
  /** The last lines of the trace that speak of the subject. */
  readonly trace: readonly string[];
}

export type Report = (invariant: string, subject: string | null, detail: string) => void;
