import { describe, expect, test } from 'vitest';
import { type Entry, readBuried, readEntries } from './read-entry.ts';

const segment = { saleId: 'skin', region: 'home', segment: 3 };
const fields = ['o', 'order-1', 'b', 'ann', '2 web', '1700000000000'];
const origin = { region: 'home', segment: 3, channel: 'web', epoch: 4, seq: 7 };
const claim = { orderId: 'order-1', saleId: 'skin', buyerId: 'ann', units: 2, origin };

const read = (entry: Entry) => readEntries(segment, [entry]);

describe('an entry of the queue', () => {
  test('is its claim, where it is or where it was before it was queued again', () => {
    expect(read(['4-7', fields])).toEqual({ entries: [{ claim, claimedAtMs: 1_700_000_000_000 }], unreadable: [] });
    expect(read(['5-1', [...fields, 'p', '4-7']]).entries).toMatchObject([{ claim }]);
    const [words] = read(['4-7', ['o', 'a%20b', 'b', 'an n', '1 %C3%BC', '1']]).entries;
    expect(words).toMatchObject({ claim: { orderId: 'a b', buyerId: 'an n', origin: { channel: 'ü' } } });
  });

  test.each([
    ['without an order', ['b', 'ann', '2 web', '1']],
    ['of an order without a name', ['o', '', 'b', 'ann', '2 web', '1']],
    ['without a buyer', ['o', 'order-1', '2 web', '1']],
    ['without units', ['o', 'order-1', 'b', 'ann']],
    ['of no unit', ['o', 'order-1', 'b', 'ann', '0 web', '1']],
    ['of half a unit', ['o', 'order-1', 'b', 'ann', '0.5 web', '1']],
    ['of fewer units than none', ['o', 'order-1', 'b', 'ann', '-1 web', '1']],
    ['of more units than stay exact', ['o', 'order-1', 'b', 'ann', '9007199254740993 web', '1']],
    ['of no number of units', ['o', 'order-1', 'b', 'ann', 'two web', '1']],
    ['of no channel', ['o', 'order-1', 'b', 'ann', '2 ', '1']],
    ['without its time', ['o', 'order-1', 'b', 'ann', '2 web', '']],
    ['of no time', ['o', 'order-1', 'b', 'ann', '2 web', 'noon']],
    ['from no position', [...fields, 'p', 'somewhere']],
    ['of a word that is none', ['o', '%E0%A4%A', 'b', 'ann', '2 web', '1']],
    ['of a channel that is none', ['o', 'order-1', 'b', 'ann', '2 %', '1']],
    ['that is far too long', ['o', 'x'.repeat(4_097), 'b', 'ann', '2 web', '1']],
    ['of nothing', []],
  ])('%s cannot be read, and keeps no other from being', (_, damaged) => {
    const good: Entry = ['4-7', fields];
    const all = readEntries(segment, [good, ['4-8', damaged], good]);
    expect(all.unreadable).toEqual(['4-8']);
    expect(all.entries).toHaveLength(2);
  });

  const several = ['orders', '["order-1","order-2","order%203"]', 'buyers', '["ann","b\\u0065n","c\\/m"]'];
  const whole = [...several, 'at', '1700000000000', '2 web', '1', '1 app', '2'];

  test('is all the claims of its call, each at its own position, or those of them that are given', () => {
    const all = read(['4-9', whole]).entries;
    expect(all.map((entry) => entry.claim)).toEqual([
      claim,
      { ...claim, orderId: 'order-2', buyerId: 'ben', units: 1, origin: { ...origin, channel: 'app', seq: 8 } },
      { ...claim, orderId: 'order 3', buyerId: 'c/m', units: 1, origin: { ...origin, channel: 'app', seq: 9 } },
    ]);
    expect(new Set(all.map(({ claimedAtMs }) => claimedAtMs))).toEqual(new Set([1_700_000_000_000]));
    expect(read(['4-9', whole, 1, 1, 3, 3]).entries).toEqual([all[0], all[2]]);
    expect(read(['4-9', whole, 2, 3]).entries).toEqual(all.slice(1));
  });

  test.each([
    ['without buyers', [...several.slice(0, 2), 'at', '1', '1 web', '3']],
    ['with a buyer too few', [...several.slice(0, 3), '["ann","ben"]', 'at', '1', '1 web', '3']],
    ['with a claim more than its runs', [...several, 'at', '1', '1 web', '2']],
    ['with a run that is none', [...several, 'at', '1', '1 web', '3', '1 app', '0']],
    ['with half a claim', [...several, 'at', '1', '1 web', '1.5', '1 app', '1.5']],
    ['without its time', [...several, '1 web', '3']],
    ['of ids that are no list', ['orders', '{"length":1}', 'buyers', '["ann"]', 'at', '1', '1 web', '1']],
  ])('of several, %s, cannot be read', (_, damaged) => {
    expect(read(['4-9', damaged])).toEqual({ entries: [], unreadable: ['4-9'] });
  });

  test('of several, at a place where so many cannot end, cannot be read', () => {
    expect(read(['4-2', whole])).toEqual({ entries: [], unreadable: ['4-2'] });
  });

  test('that was buried is read again as it was, and not when it was cut off', () => {
    expect(readBuried(segment, '4-7', fields.join(' '))).toEqual(claim);
    expect(readBuried(segment, '5-1', [...fields, 'p', '4-7'].join(' '))).toEqual(claim);
    const spaced = fields.with(3, 'ann with 2 names');
    expect(readBuried(segment, '4-7', spaced.join(' '))).toEqual({ ...claim, buyerId: 'ann with 2 names' });
    for (const text of [
      '',
      'hello world',
      fields.with(4, '0 web').join(' '),
      fields.with(3, 'a'.repeat(2_000)).join(' '),
    ])
      expect(readBuried(segment, '4-7', text)).toBeNull();
  });
});
