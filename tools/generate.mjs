/**
 * `npm run generate`: writes what is made from the code itself: the typed commands of the Lua scripts, the references, the
 * OpenAPI document. With `--check` it writes nothing, and fails when a file is not what it would write.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { commandsPage } from './generate/commands.mjs';
import { configurationPage } from './generate/configuration.mjs';
import { metricsPage } from './generate/metrics.mjs';
import { openApiDocument } from './generate/openapi.mjs';
import { reasonsPage } from './generate/reasons.mjs';
import { scriptCommands } from './generate/script-commands.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** The scripts' commands first: the rest is read from code that imports them. */
const FILES = {
  'packages/engine/src/adapters/redis/commands.ts': () => scriptCommands(root),
  'docs/reference/commands.md': commandsPage,
  'docs/reference/configuration.md': configurationPage,
  'docs/reference/metrics.md': metricsPage,
  'docs/reference/reasons.md': reasonsPage,
  'openapi.json': openApiDocument,
};

const isCheck = process.argv.includes('--check');
const stale = [];
for (const [name, write] of Object.entries(FILES)) {
  const file = join(root, name);
  const text = await write();
  if (text === contentOf(file)) continue;
  stale.push(name);
  if (isCheck) continue;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

if (isCheck && stale.length > 0) {
  console.error(`${stale.join(', ')}: not what the code says; run \`npm run generate\``);
  process.exitCode = 1;
} else console.log(stale.length === 0 ? 'generated files are up to date' : `written: ${stale.join(', ')}`);

function contentOf(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return null;
    throw error;
  }
}
