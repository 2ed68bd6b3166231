/** The typed commands of the gate's Lua scripts. */
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { LUA_FOLDER, readScripts } from '../lua-scripts.mjs';

export function scriptCommands(root) {
  const commands = readScripts(root).map(commandOf).join('\n\n');
  return formatted(
    root,
    `/** Written by \`npm run generate\` from lua/. Change the scripts instead. */\nimport type { Script } from './script.ts';\n\n${commands}\n`,
  );
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

function formatted(root, source) {
  const file = join(root, dirname(LUA_FOLDER), 'commands.ts');
  const biome = join(root, 'node_modules', '@biomejs', 'biome', 'bin', 'biome');
  const result = spawnSync(process.execPath, [biome, 'format', `--stdin-file-path=${file}`], {
    ...{ input: source, cwd: root, encoding: 'utf8' },
  });
  if (result.status !== 0) throw new Error(result.stderr);
  return result.stdout;
}
