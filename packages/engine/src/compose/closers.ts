/** What was opened, closed in the opposite order, each once, and all of it even when some of it fails. */
export interface Closers {
  add(close: () => void | Promise<void>): void;
  /** Throws the first failure after everything was tried. */
  closeAll(): Promise<void>;
}

export function createClosers(): Closers {
  const open: (() => void | Promise<void>)[] = [];
  return {
    add(close) {
      open.push(close);
    },
    async closeAll() {
      const failures: unknown[] = [];
      for (let close = open.pop(); close; close = open.pop()) {
        try {
          await close();
        } catch (error) {
          failures.push(error);
        }
      }
      if (failures.length > 0) throw failures[0];
    },
  };
}
