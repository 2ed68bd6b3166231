/**
 * Writes openapi.json at the root: the document of a listener that serves everybody. `--check` only compares. Run by
 * `npm run generate` and `npm run check:generated`, which read the packages from their sources.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { createHttpServer } from '../packages/engine/src/http/server.ts';

const file = new URL('../openapi.json', import.meta.url);
const written = await writeDocument();

if (!process.argv.includes('--check')) writeFileSync(file, written);
else if (readDocument() !== written) {
  console.error('openapi.json is not what the code serves; run `npm run generate`');
  process.exitCode = 1;
}

/** Nothing is asked of the engine: a document is made of the routes alone. */
async function writeDocument() {
  const key = 'k'.repeat(32);
  const app = createHttpServer({
    engine: {},
    clock: { nowMs: () => 0, monotonicMs: () => 0, after: () => () => {} },
    identity: { identify: () => null },
    metrics: { mediaType: 'text/plain', write: async () => '' },
    devIdentity: () => '',
    adminKey: key,
    serverKey: key,
    isReady: () => true,
    logger: false,
    trustedProxies: [],
  });
  const { statusCode, body } = await app.inject('/openapi.json');
  await app.close();
  if (statusCode !== 200) throw new Error(`the document was not served: ${body}`);
  return `${JSON.stringify(JSON.parse(body), null, 2)}\n`;
}

function readDocument() {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
