/** The users that the guide of Redis gives, so that tests are what they may do. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const GUIDE = readFileSync(join(import.meta.dirname, '../docs/guides/redis.md'), 'utf8');

/** As `ACL SETUSER name reset …` takes them. */
export function rulesOf(name: string): readonly string[] {
  const [line] = new RegExp(`^user ${name} .*$`, 'm').exec(GUIDE) ?? [];
  if (line === undefined) throw new Error(`the guide has no user ${name}`);
  return line.split(' ').slice(2);
}
