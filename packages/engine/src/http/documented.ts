/** What a route says of itself beside the schemas that validate: the OpenAPI document is made of both. */
import type { Reason } from '@sluice/contract/codes';

export type Caller = 'anyone' | 'buyer' | 'server' | 'operator';

export const TAGS = {
  buyers: 'What a page does for a buyer.',
  'back end': "What the operator's own back end tells, and buys for its buyers.",
  operators: 'What people do who run sales.',
  health: 'For probes, figures and readers of this document.',
} as const;

export type Tag = keyof typeof TAGS;

/** An answer that is no JSON, and so has no schema here. */
export interface TextAnswer {
  readonly description: string;
  /** Empty: there is no content. */
  readonly mediaTypes: readonly string[];
}

export interface RouteDocs {
  readonly operationId: string;
  readonly summary: string;
  readonly caller: Caller;
  /** By the caller when not given. */
  readonly tag?: Tag;
  /** Why it is refused, beside what its caller, parameters and body bring with them. */
  readonly reasons?: readonly Reason[];
  /** An idempotency key gets its first answer again. */
  readonly isKeyed?: boolean;
  /** By status. */
  readonly texts?: Readonly<Record<string, TextAnswer>>;
}

const TAG_OF_CALLER: Readonly<Record<Caller, Tag>> = {
  anyone: 'buyers',
  buyer: 'buyers',
  server: 'back end',
  operator: 'operators',
};

/** Names of the security schemes of the document. */
const SCHEME_OF_CALLER = { buyer: 'buyerJwt', server: 'serverKey', operator: 'adminKey' } as const;

export const SECURITY_SCHEMES = {
  buyerJwt: {
    ...{ type: 'http' as const, scheme: 'bearer', bearerFormat: 'JWT' },
    description: "The buyer's JWT, signed by the operator's own back end (HS256).",
  },
  serverKey: { type: 'http' as const, scheme: 'bearer', description: "The key of the operator's own back end." },
  adminKey: { type: 'http' as const, scheme: 'bearer', description: "The operators' key." },
} as const;

/** For the `schema` of a route. What Fastify does not know it leaves alone. */
export function documented({
  operationId,
  summary,
  caller,
  tag,
  reasons = [],
  isKeyed = false,
  texts = {},
}: RouteDocs) {
  return {
    ...{ operationId, summary, reasons, isKeyed, texts },
    tags: [tag ?? TAG_OF_CALLER[caller]],
    security: caller === 'anyone' ? [] : [{ [SCHEME_OF_CALLER[caller]]: [] }],
  };
}

/** Files of a page are no part of the interface. */
export const UNDOCUMENTED = { hide: true } as const;
