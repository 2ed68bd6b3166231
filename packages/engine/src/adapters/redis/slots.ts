/** Which of a Cluster's slots a key is in, and hash tags that are spread over the slots on purpose. */

export const SLOTS = 16_384;
const SLOT_BITS = 14;

/** A tag lands this near behind its target: some 2,000 tries, a third of a millisecond. Masters have thousands of slots each. */
const NEAR = 8;
/** Where shares of masters usually end: a target is half of it away, so that what is near is within the same share. */
const SHARE_STEP = 128;

const CRC16 = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 8;
  for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1;
  return crc;
});

function crc16(text: string, from = 0): number {
  let crc = from;
  for (const byte of Buffer.from(text, 'utf8')) crc = ((crc << 8) ^ (CRC16[(crc >> 8) ^ byte] ?? 0)) & 0xffff;
  return crc;
}

export function slotOf(key: string): number {
  return crc16(/\{([^}]+)\}/.exec(key)?.[1] ?? key) % SLOTS;
}

/**
 * A tag for one of the parts of `whole`: the first part lies where chance puts it, each further one as far from those before
 * it as can be (bits reversed), so that masters with equal shares of the slots get equal shares of the parts, however many
 * masters and parts there are.
 */
export function spreadTag(whole: string, part: number): string {
  let reversed = 0;
  for (let bit = 0; bit < SLOT_BITS; bit++) reversed |= ((part >> bit) & 1) << (SLOT_BITS - 1 - bit);
  const start = crc16(whole) % SLOTS;
  const target = start - (start % SHARE_STEP) + SHARE_STEP / 2 + reversed;
  const stem = `${whole}:${part}:`;
  const crcOfStem = crc16(stem);
  for (let salt = 0; ; salt++) {
    if ((crc16(String(salt), crcOfStem) - target + 8 * SLOTS) % SLOTS < NEAR) return stem + salt;
  }
}
