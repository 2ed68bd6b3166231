/**
 * What the process says of itself: JSON lines for machines, short lines for a person at a terminal. Always on stderr, which
 * leaves stdout to results. Nothing here ever sees a credential; the list below is the second lock on that door.
 */
import pino, { type Logger } from 'pino';
import type { Settings } from '../config/settings.ts';

export type { Logger };

const SECRET_FIELDS = [
  'token',
  'jwt',
  'receipt',
  'authorization',
  'adminKey',
  'jwtKey',
  'tokenKeys',
  'secret',
  'cookie',
];

const REDACT = SECRET_FIELDS.flatMap((field) => [field, `*.${field}`, `*.*.${field}`]);

export function createLog(level: Settings['logLevel'], isTerminal: boolean): Logger {
  const options = { level, base: { pid: process.pid }, redact: REDACT };
  // Synchronous: the last line before a crash is the one that matters.
  return isTerminal ? pino(options, humanLines) : pino(options, pino.destination({ dest: 2, sync: true }));
}

const humanLines = {
  write(line: string): void {
    process.stderr.write(humanLine(JSON.parse(line)));
  },
};

const LEVELS: Readonly<Record<number, string>> = {
  10: 'trace',
  20: 'debug',
  30: 'info',
  40: 'warn',
  50: 'error',
  60: 'fatal',
};

export function humanLine(entry: Readonly<Record<string, unknown>>): string {
  const { level, time, pid: _, msg, err, ...fields } = entry;
  const clock = new Date(Number(time)).toISOString().slice(11, 19);
  const details = Object.entries(fields).map(
    ([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  const cause = (err as { readonly message?: unknown } | undefined)?.message;
  const parts = [clock, (LEVELS[Number(level)] ?? '').padEnd(5), msg, ...details, cause].filter(
    (part) => part !== undefined,
  );
  return `${parts.join(' ')}\n`;
}
