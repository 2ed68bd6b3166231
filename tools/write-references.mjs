/**
 * `npm run generate`: writes docs/reference from what the code itself says: the settings' schema, the table of reasons, the list of
 * figures, the command line. With `--check` it writes nothing, and fails when a page is not what it would write.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { commandsPage } from './references/commands.mjs';
import { configurationPage } from './references/configuration.mjs';
import { metricsPage } from './references/metrics.mjs';
import { reasonsPage } from './references/reasons.mjs';

const PAGES = {
  'commands.md': commandsPage,
  'configuration.md': configurationPage,
  'metrics.md': metricsPage,
  'reasons.md': reasonsPage,
};

const folder = join(dirname(dirname(fileURLToPath(import.meta.url))), 'docs', 'reference');
const isCheck = process.argv.includes('--check');
const stale = [];

mkdirSync(folder, { recursive: true });
for (const [name, write] of Object.entries(PAGES)) {
  const file = join(folder, name);
  const text = write();
  if (text === contentOf(file)) continue;
  stale.push(`docs/reference/${name}`);
  if (!isCheck) writeFileSync(file, text);
}

if (isCheck && stale.length > 0) {
  console.error(`${stale.join(', ')}: not what the code says; run \`npm run generate\``);
  process.exitCode = 1;
} else console.log(stale.length === 0 ? 'the references are up to date' : `written: ${stale.join(', ')}`);

function contentOf(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return null;
    throw error;
  }
}
