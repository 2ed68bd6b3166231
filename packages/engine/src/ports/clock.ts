/** Time, as the inside may know it. A simulated world brings its own. */
export interface Clock {
  /** Wall clock, milliseconds since 1970. It may step; durations are measured with `monotonicMs`. */
  nowMs(): number;
  /** Never runs backwards; only differences mean anything. */
  monotonicMs(): number;
  /** Runs `action` once after `delayMs`; the returned function calls it off. */
  after(delayMs: number, action: () => void): () => void;
}
