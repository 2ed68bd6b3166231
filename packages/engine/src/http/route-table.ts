/** The routes that exist, for those who ask for one that does not: what else may be done with this path? */
import type { FastifyInstance } from 'fastify';

export interface RouteTable {
  /** Methods of a path, sorted; empty when there is no such path. */
  methodsOf(path: string): readonly string[];
}

interface Row {
  readonly pattern: readonly string[];
  readonly methods: Set<string>;
}

/** Notes every route that is added from now on. */
export function createRouteTable(app: Pick<FastifyInstance, 'addHook'>): RouteTable {
  const rows = new Map<string, Row>();
  app.addHook('onRoute', ({ url, method }) => {
    const row = rows.get(url) ?? { pattern: url.split('/'), methods: new Set() };
    for (const each of [method].flat()) row.methods.add(each);
    rows.set(url, row);
  });
  return {
    methodsOf(path) {
      const segments = path.split('/');
      const matching = [...rows.values()].filter(({ pattern }) => matches(pattern, segments));
      return [...new Set(matching.flatMap(({ methods }) => [...methods]))].sort();
    },
  };
}

function matches(pattern: readonly string[], segments: readonly string[]): boolean {
  return (
    pattern.length === segments.length &&
    pattern.every((part, index) => (part.startsWith(':') ? segments[index] !== '' : part === segments[index]))
  );
}
