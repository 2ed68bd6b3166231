/** What happened in a world, line by line, with a running hash: two runs of one seed must agree to the byte. */
export interface Trace {
  note(line: string): void;
  /** 16 hexadecimal digits over all lines so far. */
  hash(): string;
  /** The last `max` lines that speak of `subject`, or of anything when it is null. */
  about(subject: string | null, max: number): readonly string[];
}

export function createTrace(): Trace {
  const lines: string[] = [];
  // Two FNV-1a lanes of different primes: 32 bits alone would let a difference slip through.
  let low = 0x811c_9dc5;
  let high = 0xcbf2_9ce4;
  return {
    note(line) {
      lines.push(line);
      for (let at = 0; at < line.length; at++) {
        const unit = line.charCodeAt(at);
        low = Math.imul(low ^ unit, 0x0100_0193);
        high = Math.imul(high ^ unit, 0x0100_0197);
      }
      low = Math.imul(low ^ 10, 0x0100_0193);
      high = Math.imul(high ^ 10, 0x0100_0197);
    },
    hash: () => hex(high) + hex(low),
    about: (subject, max) => lines.filter((line) => subject === null || line.includes(subject)).slice(-max),
  };
}

function hex(word: number): string {
  return (word >>> 0).toString(16).padStart(8, '0');
}
