/** Webhooks over HTTP: see the port for what is promised. */
import { Agent, request } from 'undici';
import type { EventMessage } from '../../domain/outbox/outbox-event.ts';
import type { WebhookAnswer, WebhookCall, WebhookSender } from '../../ports/webhook-sender.ts';
import {
  ForbiddenAddress,
  guardedLookup,
  isPublic,
  literalAddress,
  type Resolver,
  systemResolver,
} from './address-guard.ts';
import { newWebhookSecret, signatureHeaders } from './standard-webhooks.ts';

export interface HttpSenderOptions {
  /** `any`: private networks and plain HTTP, too. */
  readonly networks: 'public' | 'any';
  readonly resolve?: Resolver;
  readonly timeoutMs?: number;
}

export interface HttpSender extends WebhookSender {
  close(): Promise<void>;
}

/** A receiver takes note and answers; what takes longer it should do afterwards. */
const TIMEOUT_MS = 10_000;
const CONNECT_TIMEOUT_MS = 5_000;
const IDLE_CONNECTION_MS = 10_000;
const CONNECTIONS_EACH = 8;

/** Only the status counts; the beginning of the answer is kept for whoever looks for what went wrong. */
const MAX_ANSWER_BYTES = 16_384;
const MAX_SHOWN = 200;
const MAX_HEADER_BYTES = 16_384;

/** The receiver has gone for good. */
const GONE = 410;

export function createHttpSender(options: HttpSenderOptions): HttpSender {
  const { networks, resolve = systemResolver, timeoutMs = TIMEOUT_MS } = options;
  const agent = new Agent({
    ...{ connections: CONNECTIONS_EACH, keepAliveTimeout: IDLE_CONNECTION_MS, maxHeaderSize: MAX_HEADER_BYTES },
    connect: {
      timeout: Math.min(CONNECT_TIMEOUT_MS, timeoutMs),
      ...(networks === 'public' && { lookup: guardedLookup(resolve) }),
    },
  });

  async function post({ url, secrets, message }: WebhookCall): Promise<WebhookAnswer> {
    const body = bodyOf(message);
    const timestampSeconds = Math.floor(Date.now() / 1_000);
    const response = await request(url, {
      method: 'POST',
      headers: {
        ...{ 'content-type': 'application/json', 'user-agent': 'Sluice-Webhooks' },
        ...signatureHeaders({ id: message.id, timestampSeconds, body }, secrets),
      },
      body,
      dispatcher: agent,
      // Of the whole try, answer and all.
      signal: AbortSignal.timeout(timeoutMs),
    });
    const { statusCode: status, headers } = response;
    const text = await beginningOf(response.body);
    if (status >= 200 && status < 300) return { kind: 'delivered', status };
    return {
      ...{ kind: 'refused', status, isFinal: status === GONE },
      ...{ error: errorOf(status, text), retryAfterMs: retryAfterOf(headers['retry-after'], Date.now()) },
    };
  }

  return {
    timeoutMs,
    newSecret: newWebhookSecret,
    mistakeIn: (url) => mistakeIn(url, networks),
    async send(call) {
      const mistake = mistakeIn(call.url, networks);
      if (mistake !== null) return { kind: 'forbidden', error: mistake };
      try {
        return await post(call);
      } catch (error) {
        if (error instanceof ForbiddenAddress) return { kind: 'forbidden', error: error.message };
        return { kind: 'unanswered', error: sentenceOf(error, timeoutMs) };
      }
    },
    close: () => agent.destroy(),
  };
}

function bodyOf({ type, atMs, data }: EventMessage): string {
  return JSON.stringify({ type, timestamp: new Date(atMs).toISOString(), data });
}

function mistakeIn(text: string, networks: 'public' | 'any'): string | null {
  if (!URL.canParse(text)) return 'It is no URL.';
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') return 'A URL with a user or a password is not taken.';
  if (url.hash !== '') return 'A URL with a fragment is not taken.';
  if (networks === 'any') return /^https?:$/.test(url.protocol) ? null : 'It is neither https nor http.';
  if (url.protocol !== 'https:') return 'It is not https.';
  // By RFC 6761 these never leave the machine, whatever a resolver says.
  if (/(^|\.)localhost\.?$/.test(url.hostname)) return `${url.hostname} is not public.`;
  const address = literalAddress(url);
  return address === null || isPublic(address) ? null : `${address} is not a public address.`;
}

/** Seconds, or an HTTP date; 0 when it is neither. */
function retryAfterOf(header: string | string[] | undefined, nowMs: number): number {
  if (typeof header !== 'string') return 0;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1_000;
  const atMs = / GMT$/.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(atMs) ? 0 : Math.max(0, atMs - nowMs);
}

/** A body that does not end, or an answer that breaks off, does not change the status that was given. */
async function beginningOf(body: AsyncIterable<Uint8Array> & { destroy(): unknown }): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      bytes += chunk.byteLength;
      // Leaving the loop closes the connection.
      if (bytes >= MAX_ANSWER_BYTES) break;
    }
  } catch {
    // The status has come; nothing that is told here depends on the rest.
  }
  return Buffer.concat(chunks).toString('utf8', 0, MAX_ANSWER_BYTES);
}

function errorOf(status: number, text: string): string {
  if (status >= 300 && status < 400) return `HTTP ${status}: redirects are not followed`;
  // What a stranger wrote is shown in a terminal.
  const shown = text
    .replaceAll(/[\p{C}\p{Z}]+/gu, ' ')
    .trim()
    .slice(0, MAX_SHOWN);
  return shown === '' ? `HTTP ${status}` : `HTTP ${status}: ${shown}`;
}

function sentenceOf(error: unknown, timeoutMs: number): string {
  if (!(error instanceof Error)) return 'It could not be reached.';
  if (error.name === 'TimeoutError') return `No answer within ${timeoutMs} ms.`;
  const { code } = error as NodeJS.ErrnoException;
  return code === undefined ? error.message.slice(0, MAX_SHOWN) : `${code}: ${error.message.slice(0, MAX_SHOWN)}`;
}
