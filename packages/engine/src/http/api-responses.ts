/** The answers of one route as OpenAPI has them: its own, and a problem for each status that its reasons have. */
import { PROBLEM, PROBLEM_MEDIA_TYPE } from '@sluice/contract';
import { REASONS, type Reason, type ReasonEntry } from '@sluice/contract/codes';
import type { TextAnswer } from './documented.ts';

/** What `documented` put into the schema of a route, and what validates there. */
export interface RouteSchema {
  readonly operationId?: string;
  readonly tags?: readonly string[];
  readonly security?: readonly object[];
  readonly reasons?: readonly Reason[];
  readonly texts?: Readonly<Record<string, TextAnswer>>;
  readonly isKeyed?: boolean;
  readonly params?: unknown;
  readonly body?: unknown;
  readonly response?: Readonly<Record<string, AnswerSchema>>;
}

interface AnswerSchema {
  readonly description?: string;
}

const RETRY_AFTER = {
  type: 'string',
  pattern: '^[0-9]+$',
  description: 'Seconds until it is worth coming again, spread so that not all come at once.',
};

const LIMIT_HEADERS = {
  RateLimit: {
    type: 'string',
    description: 'The limit that was met, what is left of it (`r`), seconds until more is (`t`).',
  },
  'RateLimit-Policy': { type: 'string', description: 'The limit: calls (`q`) in a window of seconds (`w`).' },
};

const CHALLENGE = { 'WWW-Authenticate': { type: 'string', description: 'Always `Bearer`.' } };

const LANGUAGE = {
  'Content-Language': { type: 'string', enum: ['en', 'zh'], description: 'Of title and detail, by Accept-Language.' },
};

const REPLAYED = {
  'Idempotent-Replayed': { type: 'string', enum: ['true'], description: 'The first answer to this key, again.' },
};

export function responsesOf(schema: RouteSchema): Readonly<Record<string, object>> {
  return { ...ownAnswers(schema), ...problems(reasonsOf(schema)) };
}

/** The patterns `4xx` and `5xx` are there for Fastify; here every problem has its own status. */
function ownAnswers({ response = {}, texts = {}, isKeyed = false }: RouteSchema): Record<string, object> {
  const schemas = new Map(Object.entries(response).filter(([status]) => /^2\d\d$/.test(status)));
  const statuses = new Set([...schemas.keys(), ...Object.keys(texts)]);
  return Object.fromEntries(
    [...statuses].map((status) => [status, answer(schemas.get(status), texts[status], isKeyed)]),
  );
}

function answer(schema: AnswerSchema | undefined, text: TextAnswer | undefined, isKeyed: boolean): object {
  const description = text?.description ?? schema?.description ?? 'As asked.';
  const content = {
    ...(schema && { 'application/json': { schema } }),
    ...Object.fromEntries(
      (text?.mediaTypes ?? []).map((type) => [
        type,
        { schema: { type: type === 'application/json' ? 'object' : 'string' } },
      ]),
    ),
  };
  const headers = isKeyed ? { headers: REPLAYED } : {};
  return Object.keys(content).length > 0 ? { description, ...headers, content } : { description, type: 'null' };
}

/** The route's own reasons, and those that its caller, its parameters and its body bring with them. */
function reasonsOf({
  reasons = [],
  tags = [],
  security = [],
  params,
  body,
  isKeyed = false,
}: RouteSchema): readonly Reason[] {
  const all = new Set<Reason>(reasons);
  const add = (...more: readonly Reason[]) => more.forEach((reason) => void all.add(reason));
  add('bad_request', 'internal');
  if (!tags.includes('health')) add('busy');
  if (tags.includes('buyers')) add('rate_limited');
  if (security.length > 0) add('unauthenticated');
  if (params !== undefined) add('not_found');
  if (isKeyed) add('in_progress', 'content_differs');
  if (body !== undefined) add('payload_too_large', 'unsupported_media_type');
  return [...all];
}

function problems(reasons: readonly Reason[]): Record<string, object> {
  const byStatus = new Map<number, Reason[]>();
  for (const reason of reasons) {
    const { status } = REASONS[reason];
    byStatus.set(status, [...(byStatus.get(status) ?? []), reason]);
  }
  return Object.fromEntries([...byStatus].map(([status, ofStatus]) => [status, problem(ofStatus)]));
}

function problem(reasons: readonly Reason[]): object {
  const entries: readonly ReasonEntry[] = reasons.map((reason) => REASONS[reason]);
  const headers = {
    ...LANGUAGE,
    ...(entries.some(({ retry }) => retry === 'then') && { 'Retry-After': RETRY_AFTER }),
    ...(entries.some(({ status }) => status === 401) && CHALLENGE),
    ...(entries.some(({ status }) => status === 429) && LIMIT_HEADERS),
  };
  return {
    description: reasons.map((reason) => `\`${reason}\`: ${REASONS[reason].en}`).join('\n'),
    headers,
    content: { [PROBLEM_MEDIA_TYPE]: { schema: PROBLEM } },
  };
}
