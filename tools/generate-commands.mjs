/**
 * Writes the typed commands of the gate's Lua scripts: `node tools/generate-commands.mjs`. With `--check` it writes nothing
 * and fails when what is there is not what the scripts say.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LUA_FOLDER, readScripts } from './lua-scripts.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const file = join(root, dirname(LUA_FOLDER), 'commands.ts');

const text = formatted(`/** Written by tools/generate-commands.mjs from lua/. Change the scripts instead. */
import type { Script } from './script.ts';

${readScripts(root).map(commandOf).join('\n\n')}
`);

if (!process.argv.includes('--check')) writeFileSync(file, text);
else if (readFileSync(file, 'utf8') !== text) {
  console.error('commands.ts is not what lua/ says: run `node tools/generate-commands.mjs`');
  process.exitCode = 1;
}

function commandOf({ name, sentence, keys, argv, takesMore, words, reply, lua }) {
  const list = (items) => `[${items.map((item) => `'${item}'`).join(', ')}]`;
  const wordList = Object.entries(words).map(([code, word]) => `'${code}': '${word}'`);
  return `/**
 * ${sentence}
 * Reply: ${reply}
 */
export const ${name.toUpperCase().replaceAll('-', '_')} = {
  name: '${name}',
  keys: ${list(keys)},
  arguments: ${list(argv)},
  takesMore: ${takesMore},
  words: { ${wordList.join(', ')} },
  lua: \`${lua.replaceAll('\\', '\\\\').replaceAll('`', '\\`').replaceAll('${', '\\${')}\`,
} as const satisfies Script;`;
}

function formatted(source) {
  const biome = join(root, 'node_modules', '@biomejs', 'biome', 'bin', 'biome');
  const result = spawnSync(process.execPath, [biome, 'format', `--stdin-file-path=${file}`], {
    ...{ input: source, cwd: root, encoding: 'utf8' },
  });
  if (result.status !== 0) throw new Error(result.stderr);
  return result.stdout;
}
