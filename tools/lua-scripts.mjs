/**
 * The gate's Lua scripts as data: what the head of each one promises, and its text without comments. The head is
 * `-- name: sentence`, then `-- KEYS`, `-- ARGV` (`...columns` at the end: any number more) and `-- REPLY`, a list of
 * `number word` and of shapes in braces, divided by bars; `-- INCLUDE` names the pieces of lua/shared that come before it.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

export const LUA_FOLDER = 'packages/engine/src/adapters/redis/lua';

export function readScripts(root) {
  const folder = join(root, LUA_FOLDER);
  const files = readdirSync(folder).filter((file) => file.endsWith('.lua'));
  return files.toSorted().map((file) => {
    const source = readFileSync(join(folder, file), 'utf8');
    const piece = (name) => readFileSync(join(folder, 'shared', `${name}.lua`), 'utf8');
    return { file: `${LUA_FOLDER}/${file}`, source, ...scriptFrom(basename(file, '.lua'), source, piece) };
  });
}

function scriptFrom(name, source, piece) {
  const line = (word) => new RegExp(`^-- ${word} +(.*)$`, 'm').exec(source)?.[1].trim();
  const names = (text) => (text === undefined || text === '-' ? [] : text.split(/ +/));
  const argv = names(line('ARGV'));
  const reply = line('REPLY') ?? '';
  const words = reply.split(' | ').flatMap((item) => {
    const found = /^(-?\d+) (\w+)$/.exec(item);
    return found ? [[found[1], found[2]]] : [];
  });
  return {
    name,
    sentence: new RegExp(`^-- ${name}: (.*)$`, 'm').exec(source)?.[1] ?? null,
    keys: names(line('KEYS')),
    argv: argv.filter((each) => !each.startsWith('...')),
    takesMore: argv.some((each) => each.startsWith('...')),
    reply,
    words: Object.fromEntries(words),
    /** Before its own text come these, in this order. */
    pieces: names(line('INCLUDE')).map((each) => ({ name: each, lua: withoutComments(piece(each)) })),
    lua: withoutComments(source),
  };
}

function withoutComments(lua) {
  return lua
    .split('\n')
    .filter((text) => !/^\s*(--.*)?$/.test(text))
    .join('\n');
}

/** What the head says and the body does not do, or the other way round. */
export function complaintsAbout({ name, source, sentence, keys, argv, takesMore, reply, words }) {
  const body = source
    .split('\n')
    .filter((text) => !/^\s*--/.test(text))
    .join('\n');
  const complaints = [];
  if (!source.startsWith(`-- ${name}: `) || !sentence) complaints.push(`begins with "-- ${name}: " and a sentence`);
  for (const head of ['KEYS', 'ARGV', 'REPLY'])
    if (!new RegExp(`^-- ${head} +\\S`, 'm').test(source)) complaints.push(`has no "-- ${head}" line`);

  const indexes = (array) =>
    [...body.matchAll(new RegExp(`\\b${array}\\[(\\d+)\\]`, 'g'))].map((found) => Number(found[1]));
  keys.forEach((key, at) => {
    if (!new RegExp(`\\b${key}\\b[^=\\n]*=.*\\bKEYS\\[${at + 1}\\]`).test(body))
      complaints.push(`promises the key ${key}, and does not name KEYS[${at + 1}] so`);
  });
  if (Math.max(0, ...indexes('KEYS')) > keys.length) complaints.push('uses a key that the head does not name');
  argv.forEach((argument, at) => {
    const isNamed = new RegExp(`\\b${argument}\\b.*ARGV\\[${at + 1}\\]`).test(body);
    if (!isNamed && !indexes('ARGV').includes(at + 1)) complaints.push(`promises ${argument}, and does not read it`);
  });
  if (!takesMore && Math.max(0, ...indexes('ARGV')) > argv.length)
    complaints.push('uses an argument that the head does not name');

  const returned = new Set([...body.matchAll(/\breturn (-?\d+)\b(?! *[,}])/g)].map((found) => found[1]));
  const inner = new Set(['0']);
  for (const code of returned) {
    const isAnswer = new RegExp(`(^|[^\\w])\\|? *${code.replace('-', '\\-')} \\w+`).test(reply);
    const isPerClaim = source.includes(`${code} `) && takesMore;
    if (!isAnswer && !isPerClaim && !inner.has(code)) complaints.push(`returns ${code}, which the head does not name`);
  }
  for (const code of Object.keys(words)) {
    const isRefusal = ['-1', '-2'].includes(code) && body.includes('return refused');
    if (!returned.has(code) && !isRefusal) complaints.push(`promises ${code}, and never returns it`);
  }
  return complaints;
}
