import { expect, test } from 'vitest';
import { isLoopback, localUrl } from './loopback.ts';

test('loopback is what only this machine can reach', () => {
  expect(['localhost', '127.0.0.1', '127.1.2.3', '::1'].filter(isLoopback)).toHaveLength(4);
  expect(['0.0.0.0', '::', '10.0.0.1', '127.evil.example', 'localhost.example', ''].filter(isLoopback)).toEqual([]);
});

test('a wildcard is called at loopback', () => {
  expect(['0.0.0.0', '::', '::1', '10.0.0.1'].map((host) => localUrl(host, 80))).toEqual([
    ...['http://127.0.0.1:80', 'http://[::1]:80', 'http://[::1]:80', 'http://10.0.0.1:80'],
  ]);
});
