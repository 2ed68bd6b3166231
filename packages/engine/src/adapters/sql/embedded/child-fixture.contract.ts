/** A process of its own for tests: it runs a few lines of TypeScript against our sources, and can be killed. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';

export interface Child {
  readonly process: ChildProcessByStdio<null, Readable, null>;
  /** What it prints, line by line. */
  readonly lines: AsyncIterator<string>;
  kill(): Promise<void>;
}

/** `code` is the body of a module; `here` is the URL of this folder, for its imports. */
export function startChild(code: string, variables: Readonly<Record<string, string>>): Child {
  const args = ['--import', 'tsx', '--conditions=source', '--input-type=module', '--eval', code];
  const child = spawn(process.execPath, args, {
    cwd: fileURLToPath(new URL('.', import.meta.url)),
    env: { ...process.env, ...variables },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  return {
    process: child,
    lines: createInterface({ input: child.stdout })[Symbol.asyncIterator](),
    kill: () => {
      child.kill('SIGKILL');
      return exited;
    },
  };
}

/** An import statement that finds a file of this folder from anywhere. */
export function importOf(names: string, file: string): string {
  return `import { ${names} } from ${JSON.stringify(new URL(file, import.meta.url).href)};`;
}
