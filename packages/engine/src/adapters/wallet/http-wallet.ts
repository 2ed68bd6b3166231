/**
 * A wallet behind HTTP, in the words that docs/guides/wallet.md gives its makers: `POST {url}/charge` and `POST {url}/refund`
 * with an Idempotency-Key, answered 200 with an outcome. Anything else is no answer, and the call is made again under its
 * key. It promises to wait no longer and to read no more than is said here.
 */
import Type, { type Static, type TSchema } from 'typebox';
import Value from 'typebox/value';
import { Fault } from '../../domain/fault.ts';
import {
  CHARGE_REFUSALS,
  type ChargeAnswer,
  type RefundAnswer,
  type Wallet,
  type WalletCall,
} from '../../ports/wallet.ts';

export interface HttpWalletOptions {
  /** The calls' names are put behind it. */
  readonly url: string;
  /** Sent as a bearer token. */
  readonly key: string;
  readonly timeoutMs?: number;
}

const CHARGE_ANSWER = Type.Union([
  Type.Object({ outcome: Type.Literal('charged') }),
  Type.Object({ outcome: Type.Literal('refused'), reason: Type.Enum([...CHARGE_REFUSALS]) }),
]);

const REFUND_ANSWER = Type.Object({ outcome: Type.Enum(['refunded', 'nothing_taken']) });

/** A buyer watches an order meanwhile; and who asks again loses nothing. */
const TIMEOUT_MS = 3_000;

/** An answer is a line. */
const MAX_ANSWER_BYTES = 4_096;

export function createHttpWallet({ url, key, timeoutMs = TIMEOUT_MS }: HttpWalletOptions): Wallet {
  const base = url.replace(/\/+$/, '');

  async function call<Schema extends TSchema>(
    name: 'charge' | 'refund',
    { key: idempotencyKey, buyerId, ...rest }: WalletCall,
    schema: Schema,
  ): Promise<Static<Schema>> {
    const answer = await send(`${base}/${name}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        'idempotency-key': idempotencyKey,
      },
      body: JSON.stringify({ buyer: buyerId, ...rest }),
      // Somewhere else is not the operator's wallet.
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    });
    if (!Value.Check(schema, answer)) throw unusable(`answered ${name} with no outcome that is known`);
    return answer;
  }

  return {
    async charge(request): Promise<ChargeAnswer> {
      const answer = await call('charge', request, CHARGE_ANSWER);
      return answer.outcome === 'charged' ? { kind: 'charged' } : { kind: 'refused', reason: answer.reason };
    },
    async refund(request): Promise<RefundAnswer> {
      return { kind: (await call('refund', request, REFUND_ANSWER)).outcome };
    },
  };
}

async function send(url: string, init: RequestInit): Promise<unknown> {
  try {
    const response = await fetch(url, init);
    const text = await readText(response);
    if (response.status !== 200) throw unusable(`answered with HTTP ${response.status}`);
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof Fault) throw error;
    if (error instanceof SyntaxError) throw unusable('answered with no JSON', error);
    throw error instanceof Error && error.name === 'TimeoutError'
      ? unanswered(error)
      : unusable('cannot be reached', error);
  }
}

async function readText({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    // Leaving the loop closes the connection.
    if (bytes > MAX_ANSWER_BYTES) throw unusable(`answered with more than ${MAX_ANSWER_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function unanswered(cause: unknown): Fault {
  return new Fault('outcome_unknown', 'The wallet did not answer in time.', cause);
}

function unusable(what: string, cause?: unknown): Fault {
  return new Fault('wallet_unavailable', `The wallet ${what}.`, cause);
}
