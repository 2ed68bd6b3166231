/**
 * Speaks to a deployment as a client outside would, over HTTP. What a server says is a value here, whatever its status;
 * a server that says nothing throws, as `NoAnswer`; a call that cannot be sent is a mistake of ours and throws what it is.
 */
import { REASONS, type Reason } from '@sluice/contract/codes';
import { Pool } from 'undici';

export interface ClientOptions {
  readonly url: string;
  /** Sockets, at most; a call that finds none free waits for one. */
  readonly connections: number;
}

export interface DeploymentCall {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly bearer?: string;
  readonly body?: unknown;
  /** Told to the deployment in X-Forwarded-For: it believes its trusted proxies only. */
  readonly clientAddress?: string;
}

export type Answer =
  | { readonly kind: 'ok'; readonly status: number; readonly body: unknown }
  | {
      readonly kind: 'refused';
      readonly status: number;
      readonly reason: Reason;
      readonly detail: string;
      readonly retryAfterMs: number | null;
      readonly hasRetryAfter: boolean;
    }
  /** Nothing that our contract knows: another program, or a broken one. */
  | {
      readonly kind: 'foreign';
      readonly status: number;
      readonly text: string;
      readonly retryAfterMs: number | null;
      readonly hasRetryAfter: boolean;
    };

export interface DeploymentClient {
  call(call: DeploymentCall): Promise<Answer>;
  close(): Promise<void>;
}

/** The server could not be reached, or died before it answered. What was sent may have been carried out. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

/** Longer than a purchase may wait for its settlement. */
const ANSWER_TIMEOUT_MS = 15_000;
const CONNECT_TIMEOUT_MS = 5_000;

export function createDeploymentClient({ url, connections }: ClientOptions): DeploymentClient {
  const pool = new Pool(new URL(url).origin, {
    connections,
    pipelining: 1,
    headersTimeout: ANSWER_TIMEOUT_MS,
    bodyTimeout: ANSWER_TIMEOUT_MS,
    connect: { timeout: CONNECT_TIMEOUT_MS },
  });

  return {
    async call({ method, path, bearer, body, clientAddress }) {
      const headers: Record<string, string> = { accept: 'application/json' };
      if (bearer !== undefined) headers.authorization = `Bearer ${bearer}`;
      if (body !== undefined) headers['content-type'] = 'application/json';
      if (clientAddress !== undefined) headers['x-forwarded-for'] = clientAddress;
      const response = await send(pool, {
        method,
        path,
        headers,
        body: body === undefined ? null : JSON.stringify(body),
      });
      return answerOf(response);
    },
    close: () => pool.destroy(),
  };
}

interface Response {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly text: string;
}

async function send(pool: Pool, request: Parameters<Pool['request']>[0]): Promise<Response> {
  try {
    const { statusCode, headers, body } = await pool.request(request);
    const text = await body.text();
    const retryAfter = headers['retry-after'];
    return { status: statusCode, retryAfter: typeof retryAfter === 'string' ? retryAfter : null, text };
  } catch (error) {
    if (!isOfTheConnection(error)) throw error;
    throw new NoAnswer(error instanceof Error ? error.message : 'the connection failed', { cause: error });
  }
}

const CONNECTION_CODES: ReadonlySet<unknown> = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH'],
  ...['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN'],
  ...['UND_ERR_SOCKET', 'UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT'],
]);

function isOfTheConnection(error: unknown): boolean {
  const code = (error as { readonly code?: unknown } | null)?.code;
  // HPE: what came was not HTTP, or was cut off in the middle.
  return CONNECTION_CODES.has(code) || (typeof code === 'string' && code.startsWith('HPE_'));
}

function answerOf({ status, retryAfter, text }: Response): Answer {
  const body = jsonOrNull(text);
  if (status < 400 && body !== null) return { kind: 'ok', status, body };
  const inHeader = { retryAfterMs: secondsToMs(retryAfter), hasRetryAfter: retryAfter !== null };
  const { reason, detail, title, retryAfterMs } = (body ?? {}) as Readonly<Record<string, unknown>>;
  if (!isReason(reason)) return { kind: 'foreign', status, text, ...inHeader };
  return {
    kind: 'refused',
    ...{ status, reason, detail: String(detail ?? title ?? ''), ...inHeader },
    ...(typeof retryAfterMs === 'number' && { retryAfterMs }),
  };
}

function isReason(value: unknown): value is Reason {
  return typeof value === 'string' && Object.hasOwn(REASONS, value);
}

function secondsToMs(retryAfter: string | null): number | null {
  return retryAfter !== null && /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1_000 : null;
}

function jsonOrNull(text: string): object | null {
  try {
    const content: unknown = JSON.parse(text);
    return typeof content === 'object' ? content : null;
  } catch {
    return null;
  }
}
