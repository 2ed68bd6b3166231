/**
 * Turns a refusal into its answer: the one place where a reason becomes a status, texts, Retry-After and a problem. What a
 * refusal says is the same for everybody it befalls, so its text is built once for each reason and language and sent past
 * the framework: most of a sold-out sale's answers are this.
 */
import { PROBLEM_MEDIA_TYPE, type Problem, problemType } from '@sluice/contract';
import { REASONS, type Reason, type ReasonEntry } from '@sluice/contract/codes';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Refusal } from '../domain/refusal.ts';
import type { Clock } from '../ports/clock.ts';
import { LANGUAGES, type Language, languageOf } from './language.ts';
import { mayLeaveUnread } from './limits.ts';

export interface RefusalNotes {
  /** What is wrong with this request, in place of the reason's text. English. */
  readonly detail?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Refuser {
  /** Sends; the route is done with it. */
  refuse(request: FastifyRequest, reply: FastifyReply, refusal: Refusal, notes?: RefusalNotes): FastifyReply;
}

/** When nothing is known of how long it takes. */
const COME_AGAIN_MS = 1_000;

/** Those who were refused together come back over this many seconds more. */
const SPREAD_SECONDS = 2;

export const API_HEADERS = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' } as const;

export interface RefuserDeps {
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  /** The server takes no more connections, and keeps none. */
  readonly isClosing: () => boolean;
}

export function createRefuser({ clock, random, isClosing }: RefuserDeps): Refuser {
  function retryAfterSeconds(refusal: Refusal): number {
    const { retryAtMs, retryAfterMs = COME_AGAIN_MS } = refusal;
    const waitMs = retryAtMs === undefined ? retryAfterMs : retryAtMs - clock.nowMs();
    return Math.max(1, Math.ceil(waitMs / 1_000)) + Math.floor(random() * (SPREAD_SECONDS + 1));
  }

  return {
    refuse(request, reply, refusal, notes) {
      const language = languageOf(request.headers['accept-language']);
      const { problem, body, status, headers } = PREBUILT[language][refusal.reason];
      const detail = notes?.detail ?? missing(refusal, request.params, language);
      const text = isConstant(refusal, detail) ? body : asciiJson({ ...problem, ...extensionsOf(refusal, detail) });
      const all = [...headers, 'Content-Length', String(text.length)];
      const entry: ReasonEntry = REASONS[refusal.reason];
      if (entry.retry === 'then') all.push('Retry-After', String(retryAfterSeconds(refusal)));
      if (notes?.headers) all.push(...Object.entries(notes.headers).flat());
      const isInTheWay = !request.raw.complete && !mayLeaveUnread(request.headers);
      if (isInTheWay || isClosing()) all.push('Connection', 'close');
      reply.hijack();
      const send = () => void reply.raw.writeHead(status, all).end(text, 'latin1');
      const { beforeAnswer } = request;
      if (beforeAnswer) void beforeAnswer({ status, mediaType: PROBLEM_MEDIA_TYPE, language, body: text }).then(send);
      else send();
      return reply;
    },
  };
}

interface Prebuilt {
  readonly status: number;
  readonly problem: Problem;
  readonly body: string;
  readonly headers: readonly string[];
}

/** Also for sockets that have not brought a request yet. */
export const PREBUILT: Readonly<Record<Language, Readonly<Record<Reason, Prebuilt>>>> = prebuild();

function prebuild() {
  const reasons = Object.keys(REASONS) as Reason[];
  const inLanguage = (language: Language) =>
    Object.fromEntries(reasons.map((each) => [each, prebuildOne(each, language)]));
  return Object.fromEntries(LANGUAGES.map((language) => [language, inLanguage(language)])) as typeof PREBUILT;
}

function prebuildOne(reason: Reason, language: Language): Prebuilt {
  const { status, [language]: text } = REASONS[reason];
  const problem = { type: problemType(reason), title: text, status, detail: text, reason };
  const headers = [
    ...['Content-Type', PROBLEM_MEDIA_TYPE, 'Content-Language', language],
    ...Object.entries(API_HEADERS).flat(),
    ...(status === 401 ? ['WWW-Authenticate', 'Bearer'] : []),
  ];
  return { status, problem, body: asciiJson(problem), headers };
}

/** One byte a letter: head and body leave in one piece, and the length is known without counting. */
function asciiJson(problem: Problem): string {
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(problem).replaceAll(/[^\0-\x7f]/g, escaped);
}

/** What is not there, by the name it was asked for. */
function missing({ reason }: Refusal, params: unknown, language: Language): string | undefined {
  if (reason !== 'not_found' || typeof params !== 'object' || params === null) return undefined;
  if ('orderId' in params)
    return language === 'zh' ? `没有订单“${params.orderId}”。` : `There is no order "${params.orderId}".`;
  if ('saleId' in params)
    return language === 'zh' ? `没有活动“${params.saleId}”。` : `There is no sale "${params.saleId}".`;
  return undefined;
}

function isConstant(refusal: Refusal, detail: string | undefined): boolean {
  const { retryAtMs, retryAfterMs, liveOrderIds, leftUnits } = refusal;
  return (retryAtMs ?? retryAfterMs ?? liveOrderIds ?? leftUnits ?? detail) === undefined;
}

function extensionsOf(refusal: Refusal, detail: string | undefined): Partial<Problem> {
  const { retryAtMs, retryAfterMs, liveOrderIds, leftUnits } = refusal;
  return {
    ...(detail !== undefined && { detail }),
    ...(retryAtMs !== undefined && { retryAtMs }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(liveOrderIds !== undefined && { liveOrderIds: [...liveOrderIds] }),
    ...(leftUnits !== undefined && { left: leftUnits }),
  };
}
