import type { TSchema } from 'typebox';
import Value from 'typebox/value';
import { describe, expect, it } from 'vitest';
import * as contract from './index.ts';

type Node = TSchema & {
  readonly type?: string | readonly string[];
  readonly title?: string;
  readonly description?: string;
  readonly examples?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Node>>;
  readonly items?: Node;
  readonly additionalProperties?: unknown;
};

const schemas = Object.entries(contract).flatMap(([name, value]): [string, Node][] =>
  typeof value === 'object' ? [[name, value]] : [],
);

/** Every schema inside a schema, by its path. */
function nodesIn(schema: Node, path: string): readonly (readonly [string, Node])[] {
  const inner = Object.entries(schema.properties ?? {}).flatMap(([name, node]) => nodesIn(node, `${path}.${name}`));
  return [[path, schema], ...inner, ...(schema.items ? nodesIn(schema.items, `${path}[]`) : [])];
}

const nodes = schemas.flatMap(([name, schema]) => nodesIn(schema, name));

describe('the schemas of the contract', () => {
  it('are there', () => {
    expect(schemas.length).toBeGreaterThan(12);
  });

  it.each(nodes.filter(([, node]) => node.properties))('%s is closed: no field but those named', (_path, node) => {
    expect(node.additionalProperties).toBe(false);
  });

  it.each(nodes.filter(([path, node]) => /\.\w+$/.test(path) && !node.items && !node.properties))(
    '%s says what it is',
    (_path, node) => {
      expect(node.description ?? node.examples).toBeDefined();
    },
  );

  it.each(nodes.filter(([, node]) => node.examples))('%s has examples that are right', (_path, node) => {
    for (const example of node.examples ?? []) expect([...Value.Errors(node, example)]).toEqual([]);
  });

  it('name every time by its unit', () => {
    for (const [path, node] of nodes) {
      if (/milliseconds/i.test(node.description ?? '')) expect(path).toMatch(/Ms$/);
    }
  });
});
