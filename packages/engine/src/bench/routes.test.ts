import { expect, test } from 'vitest';
import { routes } from './routes.ts';

const ID = 'no such/../id?x#y';

test('an id stays one part of the path or of the query, whatever is in it', () => {
  for (const route of Object.values(routes)) {
    const path = route(ID, 'pause');
    const { pathname, searchParams } = new URL(path, 'http://localhost');
    expect(pathname).toMatch(/^\/v1\/[\w%./-]+$/);
    if (route.length > 0 && searchParams.size === 0) expect(pathname).toContain(`/${encodeURIComponent(ID)}`);
    if (searchParams.has('after')) expect(searchParams.get('after')).toBe(ID);
  }
});
