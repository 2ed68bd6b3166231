/**
 * Which addresses a webhook may be sent to: public ones only, or any. A name is looked up here, every address it has is
 * judged, and the connection is made to what was judged, so that an answer which changes in between leads nowhere.
 */
import { lookup as lookUp } from 'node:dns/promises';
import { BlockList, isIP, type LookupFunction } from 'node:net';

/** Looks a name up; the addresses it has. */
export type Resolver = (hostname: string) => Promise<readonly { readonly address: string; readonly family: number }[]>;

export class ForbiddenAddress extends Error {
  override readonly name = 'ForbiddenAddress';
}

/** Of IPv4, everything that the IANA registry of special addresses does not call globally reachable, and multicast. */
const SPECIAL_V4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  // With the metadata servers of clouds.
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];

/** Of IPv6, what is inside of global unicast and still not public, or has an IPv4 address inside. */
const SPECIAL_V6: readonly (readonly [string, number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
];

/** All else is loopback, link-local, private, mapped, translated or multicast. */
const GLOBAL_UNICAST_V6 = ['2000::', 3] as const;

const special = new BlockList();
for (const [network, bits] of SPECIAL_V4) special.addSubnet(network, bits, 'ipv4');
for (const [network, bits] of SPECIAL_V6) special.addSubnet(network, bits, 'ipv6');
const globalUnicast = new BlockList();
globalUnicast.addSubnet(...GLOBAL_UNICAST_V6, 'ipv6');

export function isPublic(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !special.check(address, 'ipv4');
    case 6:
      return globalUnicast.check(address, 'ipv6') && !special.check(address, 'ipv6');
    default:
      return false;
  }
}

export const systemResolver: Resolver = (hostname) => lookUp(hostname, { all: true });

/** The address that a URL names itself, without a look-up; null when it has a name. */
export function literalAddress({ hostname }: URL): string | null {
  const bare = hostname.replace(/^\[(.*)\]$/, '$1');
  return isIP(bare) === 0 ? null : bare;
}

/** For sockets. One address of many that is not public forbids them all: such an answer is not an honest one. */
export function guardedLookup(resolve: Resolver): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname).then(
      (addresses) => {
        const forbidden = addresses.find(({ address }) => !isPublic(address));
        const [first] = addresses;
        if (forbidden || !first) {
          const what = forbidden ? `is at ${forbidden.address}, which is not public` : 'has no address';
          callback(new ForbiddenAddress(`${hostname} ${what}`), '', 0);
        } else if (options.all) callback(null, [...addresses]);
        else callback(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, '', 0),
    );
  };
}
