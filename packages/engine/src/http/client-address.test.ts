import { describe, expect, test } from 'vitest';
import { addressKeyOf } from './client-address.ts';

describe('the key of an address', () => {
  test.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:DB8:0001:0002::1', '2001:db8:1:2'],
    ['2001:db8::1', '2001:db8:0:0'],
    ['2001:db8:1:2:3::192.0.2.1', '2001:db8:1:2'],
    ['::1', '0:0:0:0'],
    ['::', '0:0:0:0'],
    ['fe80::1%eth0', 'fe80:0:0:0'],
    ['64:ff9b::192.0.2.1', '64:ff9b:0:0'],
  ])('of %s is %s', (ip, key) => expect(addressKeyOf(ip)).toBe(key));

  test('is the same for all of a /64, and another for the next', () => {
    const keys = Array.from({ length: 1_000 }, (_, host) => addressKeyOf(`2001:db8:1:2::${host.toString(16)}`));
    expect(new Set(keys).size).toBe(1);
    expect(keys).not.toContain(addressKeyOf('2001:db8:1:3::1'));
  });

  test('is one for all that is no address', () => {
    for (const text of ['', 'x', 'unknown', '1.2.3', '1.2.3.4.5', ':::', `${'a'.repeat(8_000)}`]) {
      expect(addressKeyOf(text)).toBe('none');
    }
  });
});
