/** Schemas with a title stand in the document once, under that title. A title names one schema. */
import { invariant } from '../domain/invariant.ts';
import type { ApiDocument, JsonSchema } from './open-api.ts';

export function withComponents({ paths, components, ...rest }: ApiDocument): ApiDocument {
  const schemas = new Map<string, JsonSchema>();

  function referTo(title: string, schema: JsonSchema): JsonSchema {
    const known = schemas.get(title) ?? schema;
    invariant(JSON.stringify(known) === JSON.stringify(schema), `one schema is called ${title}`);
    schemas.set(title, schema);
    return { $ref: `#/components/schemas/${title}` };
  }

  function walk(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(walk);
    if (value === null || typeof value !== 'object') return value;
    const walked: JsonSchema & { readonly title?: unknown } = Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [name, walk(inner)]),
    );
    const { title, type } = walked;
    // A property may be called `title`: what stands there is a schema, not a text.
    return typeof title === 'string' && type !== undefined ? referTo(title, walked) : walked;
  }

  const walked = walk(paths) as ApiDocument['paths'];
  const sorted = [...schemas].sort(([a], [b]) => (a < b ? -1 : 1));
  return { ...rest, paths: walked, components: { ...components, schemas: Object.fromEntries(sorted) } };
}
