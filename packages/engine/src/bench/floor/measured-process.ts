/** A server as a process of its own, so that what it costs is its own, and what it used of the processor can be read. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

export interface MeasuredProcess {
  readonly url: string;
  /** Of the processor, since it began; null where that cannot be read. */
  cpuMs(): number | null;
  stop(): Promise<void>;
}

/** Linux counts in hundredths of a second, whatever the hardware does. */
const MS_PER_TICK = 10;

/** `env` is all the environment it has. The first line that it prints is a JSON object with its `url`. */
export async function startMeasured(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<MeasuredProcess> {
  const child = spawn(process.execPath, args, {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const first = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next();
  if (first.done) throw new Error(`${args.join(' ')} ended before it was open`);
  const { url } = JSON.parse(first.value) as { readonly url: string };
  return {
    url,
    cpuMs() {
      if (process.platform !== 'linux' || child.pid === undefined) return null;
      const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
      return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK;
    },
    stop() {
      child.kill('SIGTERM');
      return ended;
    },
  };
}
