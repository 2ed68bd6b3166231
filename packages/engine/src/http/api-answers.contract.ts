/** Holds every answer that a test sees to the document of the listener that gave it. */
import Value from 'typebox/value';
import type { ApiDocument, JsonSchema, Operation } from './open-api.ts';

export interface SeenAnswer {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly mediaType: string;
  readonly json: unknown;
}

/** What the document does not say of an answer; null when it says all of it. Of routes that are not in it nothing is known. */
export function undocumented(document: ApiDocument, answer: SeenAnswer): string | null {
  const operation = operationOf(document, answer);
  // Answered before any route is looked at, or by a route that is not there.
  if (!operation || answer.method === 'HEAD' || answer.status === 431) return null;
  const where = `${operation.operationId} ${answer.status}`;
  const response = operation.responses[answer.status];
  if (!response) return `${where} is not documented: ${JSON.stringify(answer.json)}`;
  const reason = (answer.json as { readonly reason?: string } | undefined)?.reason;
  if (answer.mediaType === 'application/problem+json' && !response.description.includes(`\`${reason}\``))
    return `${where} does not name ${reason}`;
  const media = response.content?.[answer.mediaType];
  if (!media) return answer.mediaType === '' ? null : `${where} has no ${answer.mediaType}`;
  if (answer.json === undefined) return null;
  const errors = [...Value.Errors(inlined(document, media.schema), answer.json)];
  return errors.length === 0 ? null : `${where}: ${JSON.stringify(errors)}`;
}

function operationOf({ paths }: ApiDocument, { method, path }: SeenAnswer): Operation | undefined {
  const [asked = ''] = path.split('?', 1);
  const segments = asked.split('/');
  const found = Object.keys(paths).filter((pattern) => {
    const parts = pattern.split('/');
    return parts.length === segments.length && parts.every((part, at) => part.startsWith('{') || part === segments[at]);
  });
  return found.map((pattern) => paths[pattern]?.[method.toLowerCase()]).find((operation) => operation !== undefined);
}

/** The schema with what it refers to in its place. */
function inlined(document: ApiDocument, schema: JsonSchema): JsonSchema {
  const walk = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(walk);
    if (value === null || typeof value !== 'object') return value;
    const { $ref } = value as JsonSchema;
    if ($ref !== undefined) return walk(document.components.schemas[$ref.slice($ref.lastIndexOf('/') + 1)]);
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, walk(inner)]));
  };
  return walk(schema) as JsonSchema;
}
