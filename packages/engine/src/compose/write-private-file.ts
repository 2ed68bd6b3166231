/** Writes a file that only its owner may read, whole or not at all: a crash leaves the old one or the new one. */
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';

const OWNER_ONLY = 0o600;

export function writePrivateFile(file: string, text: string): void {
  const draft = `${file}.${process.pid}.new`;
  try {
    const descriptor = openSync(draft, 'w', OWNER_ONLY);
    try {
      writeSync(descriptor, text);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}
