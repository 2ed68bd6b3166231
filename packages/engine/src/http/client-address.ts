/**
 * Which address a caller is counted under. The framework has walked X-Forwarded-For already, over trusted proxies only. An
 * IPv4 address is itself; of an IPv6 address only the /64 counts, because a household has that many addresses to choose
 * from. What is no address is one key for all: a proxy that passes on what it was told must not hand out keys.
 */
import { isIP } from 'node:net';

const NO_ADDRESS = 'none';
const MAPPED_IPV4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;
const GROUPS = 8;
const GROUPS_OF_A_NETWORK = 4;

export function addressKeyOf(ip: string): string {
  const version = isIP(ip);
  if (version === 0) return NO_ADDRESS;
  if (version === 4) return copyOf(ip);
  const mapped = MAPPED_IPV4.exec(ip)?.[1];
  return mapped === undefined ? networkOf(ip) : copyOf(mapped);
}

/** A slice of a header would keep the whole header in memory for as long as the key is remembered. */
function copyOf(ip: string): string {
  return ip.split('.').join('.');
}

function networkOf(ip: string): string {
  const [address = ''] = ip.toLowerCase().split('%', 1);
  const [left = '', right] = address.split('::', 2);
  const head = groupsOf(left);
  const gap = right === undefined ? 0 : GROUPS - head.length - groupsOf(right).length;
  const groups = [...head, ...Array<string>(gap).fill('0'), ...groupsOf(right ?? '')];
  return groups
    .slice(0, GROUPS_OF_A_NETWORK)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':');
}

/** A dotted end stands for two groups; what they hold is not looked at. */
function groupsOf(text: string): readonly string[] {
  if (text === '') return [];
  return text.split(':').flatMap((group) => (group.includes('.') ? ['0', '0'] : [group]));
}
