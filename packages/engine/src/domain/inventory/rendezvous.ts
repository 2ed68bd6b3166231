/** Lots that every process draws alike: a number below 2^32 for two texts, in which each bit of both changes about half of the bits. */

export function lotOf(one: string, other: string): number {
  return mix(hashOf(one, other));
}

/** No text that is hashed has a line break, so the two cannot be cut elsewhere. */
export function hashOf(one: string, other: string): number {
  return hash(other, hash('\n', hash(one, OFFSET)));
}

const OFFSET = 0x811c9dc5;
const PRIME = 0x01000193;

/** FNV-1a over UTF-16 units. */
function hash(text: string, seed: number): number {
  let value = seed;
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), PRIME);
  return value;
}

/** The finalizer of MurmurHash3. */
export function mix(number: number): number {
  let value = number;
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}
