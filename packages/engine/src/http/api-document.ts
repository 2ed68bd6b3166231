/**
 * The OpenAPI document of a listener: its own routes, by the very schemas that validate. It promises that every route of
 * the listener is in it, with every reason for which it refuses.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import swagger, { type FastifyDynamicSwaggerOptions } from '@fastify/swagger';
import type { FastifySchema } from 'fastify';
import { withComponents } from './api-components.ts';
import { type RouteSchema, responsesOf } from './api-responses.ts';
import { SECURITY_SCHEMES, TAGS } from './documented.ts';
import type { ApiDocument } from './open-api.ts';
import type { HttpServer } from './route.ts';

const DESCRIPTION = [
  'A flash sale. A purchase needs a token, which is the order: it carries the order’s id before the first attempt, and the',
  'same token again is the same order. Every answer that is not the one asked for is an RFC 9457 problem with one `reason`',
  'of a closed table. Bodies are strict: a field that is not named is refused, and nothing is coerced.',
].join(' ');

const LICENSE = { name: 'Apache-2.0', identifier: 'Apache-2.0' };

/** Routes that are added afterwards are in the document: the returned function writes it, once the server is ready. */
export function addApiDocument(app: HttpServer): () => ApiDocument {
  const options: FastifyDynamicSwaggerOptions = {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Sluice', version: contractVersion(), description: DESCRIPTION, license: LICENSE },
      // Wherever the document was read from.
      servers: [{ url: '/' }],
      tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
      components: { securitySchemes: SECURITY_SCHEMES },
    },
    transform: ({ schema, url }) => ({ schema: documentedSchema(schema), url }),
  };
  app.register(swagger, options);
  return () => finished(app.swagger());
}

function documentedSchema(schema: FastifySchema): FastifySchema {
  if (schema.hide === true) return schema;
  const { reasons: _reasons, texts: _texts, isKeyed: _isKeyed, ...rest } = schema as RouteSchema;
  return { ...rest, response: responsesOf(schema as RouteSchema) } as FastifySchema;
}

/** The library takes every body for required, and repeats each schema wherever it is used. */
function finished(raw: object): ApiDocument {
  const document = JSON.parse(JSON.stringify(raw)) as ApiDocument;
  for (const { requestBody } of Object.values(document.paths).flatMap((path) => Object.values(path))) {
    const [media] = Object.values(requestBody?.content ?? {});
    if (requestBody && [media?.schema.type].flat().includes('null')) requestBody.required = false;
  }
  return withComponents(document);
}

function contractVersion(): string {
  const file = createRequire(import.meta.url).resolve('@sluice/contract/package.json');
  return (JSON.parse(readFileSync(file, 'utf8')) as { readonly version: string }).version;
}
