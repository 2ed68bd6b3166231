import { expect, test } from 'vitest';
import { routes } from './routes.ts';

test('an id stays one part of the path, whatever is in it', () => {
  for (const route of Object.values(routes)) {
    const path = route('no such/../id?x#y', 'pause');
    if (route.length > 0) expect(path).toContain('/no%20such%2F..%2Fid%3Fx%23y');
    expect(path).toMatch(/^\/v1\/[\w%./-]+$/);
  }
});
