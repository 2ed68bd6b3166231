import { describe, expect, test } from 'vitest';
import { readRedisAddress } from './address.ts';

describe('an address of Redis', () => {
  test('is of one server', () => {
    expect(readRedisAddress('redis://gate')).toEqual({
      ...{ kind: 'server', isTls: false, login: {}, endpoint: { host: 'gate', port: 6379 }, db: 0 },
    });
    expect(readRedisAddress('rediss://sluice:p%40ss:word@[::1]:7000/3')).toEqual({
      ...{ kind: 'server', isTls: true, login: { username: 'sluice', password: 'p@ss:word' } },
      ...{ endpoint: { host: '::1', port: 7000 }, db: 3 },
    });
    expect(readRedisAddress('redis://:p@ss@gate')).toMatchObject({ login: { password: 'p@ss' } });
  });

  test('is of the master that Sentinels tell of', () => {
    expect(readRedisAddress('redis+sentinel://:secret@s1,s2:5000/shop/2?sentinelPassword=watch')).toEqual({
      ...{ kind: 'sentinel', isTls: false, login: { password: 'secret' }, masterName: 'shop', db: 2 },
      sentinels: [
        { host: 's1', port: 26_379 },
        { host: 's2', port: 5000 },
      ],
      sentinelLogin: { password: 'watch' },
    });
  });

  test('is of nodes of a Cluster', () => {
    expect(readRedisAddress('rediss+cluster://u:p@n1:7000,n2/')).toEqual({
      ...{ kind: 'cluster', isTls: true, login: { username: 'u', password: 'p' } },
      seeds: [
        { host: 'n1', port: 7000 },
        { host: 'n2', port: 6379 },
      ],
    });
  });

  test.each([
    ['http://gate', 'begins with redis://, redis+sentinel:// or redis+cluster://'],
    ['redis+sentinels://gate/shop', 'begins with'],
    [
      'redis://n1,n2',
      'names one host; of several write redis+sentinel://host,host/master or redis+cluster://host,host',
    ],
    ['redis://gate/shop', 'ends with the number of a database'],
    ['redis://gate/0/1', 'has one part behind the host'],
    ['redis://gate?db=1', 'takes no parameters'],
    ['redis://secret@gate', 'has a login as user:password@ or :password@'],
    ['redis://:50%@gate', 'has each % of a name or password written as %25'],
    ['redis://gate:0', '“gate:0” is none'],
    ['redis://gate:70000', '“gate:70000” is none'],
    ['redis+cluster://n1,,n2', '“” is none'],
    ['redis+cluster://n1/0', 'names no database'],
    ['redis+sentinel://s1,s2', 'names the master behind the hosts'],
    ['redis+sentinel://s1/shop/zero', 'ends with the number of a database'],
    ['redis+sentinel://s1/shop/0/1', 'names the master behind the hosts'],
    ['redis+sentinel://s1/shop?password=x', 'takes only sentinelUsername and sentinelPassword'],
  ])('that is wrong is told in words: %s', (text, sentence) => {
    let message = '';
    try {
      readRedisAddress(text);
    } catch (error) {
      message = (error as Error).message;
    }
    expect(message).toContain('SLUICE_REDIS_URL');
    expect(message).toContain(sentence);
    expect(message).not.toContain('secret');
  });
});
