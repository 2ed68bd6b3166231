/** Loaded before a process: SIGUSR2 makes its wall clock read the step in milliseconds that the file in STEP_FILE names. */
import { readFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

const { now } = Date;
let stepMs = 0;
Date.now = () => now() + stepMs;

if (isMainThread) {
  process.on('SIGUSR2', () => {
    stepMs = Number(readFileSync(process.env.STEP_FILE, 'utf8'));
  });
}
