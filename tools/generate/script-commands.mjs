/** The typed commands of the gate's Lua scripts. */
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { LUA_FOLDER, readScripts } from '../lua-scripts.mjs';

export function scriptCommands(root) {
  const scripts = readScripts(root);
  const pieces = new Map(scripts.flatMap((script) => script.pieces.map(({ name, lua }) => [name, lua])));
  const constants = [...pieces].toSorted().map(([name, lua]) => `const ${constantOf(name)} = \`${escaped(lua)}\`;`);
  const commands = [...constants, ...scripts.map(commandOf)].join('\n\n');
  return formatted(
    root,
    `/** Written by \`npm run generate\` from lua/. Change the scripts instead. */\nimport type { Script } from './script.ts';\n\n${commands}\n`,
  );
}

function commandOf({ name, sentence, keys, argv, takesMore, words, reply, pieces, lua }) {
  const list = (items) => `[${items.map((item) => `'${item}'`).join(', ')}]`;
  const wordList = Object.entries(words).map(([code, word]) => `'${code}': '${word}'`);
  return `/**
 * ${sentence}
 * Reply: ${reply}
 */
export const ${constantOf(name)} = {
  name: '${name}',
  keys: ${list(keys)},
  arguments: ${list(argv)},
  takesMore: ${takesMore},
  words: { ${wordList.join(', ')} },
  lua: \`${pieces.map((piece) => `\${${constantOf(piece.name)}}\n`).join('')}${escaped(lua)}\`,
} as const satisfies Script;`;
}

function constantOf(name) {
  return name.toUpperCase().replaceAll('-', '_');
}

function escaped(lua) {
  return lua.replaceAll('\\', '\\\\').replaceAll('`', '\\`').replaceAll('${', '\\${');
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
