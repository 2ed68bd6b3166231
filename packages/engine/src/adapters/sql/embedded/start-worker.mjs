/**
 * Where the worker thread begins: built code as it is, source through tsx. A .ts file cannot be a worker's entry on Node 20.
 */
import { existsSync } from 'node:fs';

const built = new URL('./worker.js', import.meta.url);

if (existsSync(built)) {
  await import(built.href);
} else {
  const { register } = await import('tsx/esm/api');
  register();
  await import(new URL('./worker.ts', import.meta.url).href);
}
