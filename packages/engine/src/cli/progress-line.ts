/** Progress on stderr: one line that is written over at a terminal, a line every few seconds elsewhere. */
export interface ProgressLine {
  show(text: string): void;
  /** Leaves the terminal clean. */
  end(): void;
}

const TERMINAL_EVERY_MS = 100;
const FILE_EVERY_MS = 5_000;
const ERASE_LINE = '\r\u001B[K';

export function createProgressLine(stream: NodeJS.WriteStream = process.stderr): ProgressLine {
  const everyMs = stream.isTTY ? TERMINAL_EVERY_MS : FILE_EVERY_MS;
  let nextMs = performance.now() + everyMs;
  return {
    show(text) {
      if (performance.now() < nextMs) return;
      nextMs = performance.now() + everyMs;
      stream.write(stream.isTTY ? `${ERASE_LINE}${text.slice(0, stream.columns - 1)}` : `${text}\n`);
    },
    end() {
      if (stream.isTTY) stream.write(ERASE_LINE);
    },
  };
}
