/** The calls of the page. Everything comes back as an answer, a refusal, or nothing that could be understood. */
import type { OrderState } from '@sluice/contract/codes';
import type { SaleView } from './buy-button.ts';
import type { Offer, Window } from './offer-text.ts';
import type { ServerClock } from './server-clock.ts';

export interface ListedSale extends SaleView, Offer, Window {
  readonly id: string;
  readonly title: string;
  readonly limitUnits: number;
  readonly limitGroup: string | null;
  readonly serverTimeMs: number;
}

export interface Order {
  readonly orderId: string;
  readonly status: OrderState;
  readonly units: number;
}

/** With it a buyer hears of an order that was lost on its way. */
export interface Bought extends Order {
  readonly receipt: string | null;
}

export interface Token {
  readonly token: string;
  readonly orderId: string;
  readonly latestMs: number;
}

export interface Refused {
  readonly kind: 'refused';
  readonly reason: string;
  /** How long to wait before coming again; 0 when nothing was said. */
  readonly retryAfterMs: number;
}

export type Reply<Value> =
  | { readonly kind: 'answer'; readonly value: Value }
  | Refused
  /** No answer, or none of ours: what was asked for may have happened. */
  | { readonly kind: 'unclear' };

export interface Api {
  listSales(): Promise<Reply<{ readonly sales: readonly ListedSale[] }>>;
  devIdentity(buyer: string): Promise<Reply<{ readonly jwt: string }>>;
  token(jwt: string, saleId: string): Promise<Reply<Token>>;
  purchase(
    jwt: string,
    saleId: string,
    wish: { readonly token: string; readonly units: number },
  ): Promise<Reply<Bought>>;
  order(jwt: string, orderId: string, receipt: string | null): Promise<Reply<Order>>;
}

/** Longer than the server waits for its ledger. */
const ANSWER_MS = 15_000;

export function createApi(clock: ServerClock, send: typeof fetch = fetch): Api {
  async function call<Value>(path: string, init: RequestInit): Promise<Reply<Value>> {
    const sentMs = performance.now();
    try {
      const response = await send(path, { ...init, signal: AbortSignal.timeout(ANSWER_MS) });
      const body: unknown = await response.json();
      if (!response.ok) return refusedBy(response, body);
      learn(clock, body, sentMs);
      return { kind: 'answer', value: body as Value };
    } catch {
      // A lost answer, a proxy's page, a network that is gone: the same to the one who asked.
      return { kind: 'unclear' };
    }
  }

  const post = (body?: unknown): RequestInit => ({
    method: 'POST',
    ...(body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
  const as = (jwt: string, init: RequestInit = {}): RequestInit => ({
    ...init,
    headers: { ...init.headers, authorization: `Bearer ${jwt}` },
  });
  const saleAt = (saleId: string) => `/v1/sales/${encodeURIComponent(saleId)}`;

  return {
    listSales: () => call('/v1/sales', {}),
    devIdentity: (buyer) => call('/dev/identity', post({ buyer })),
    token: (jwt, saleId) => call(`${saleAt(saleId)}/token`, as(jwt, post())),
    purchase: (jwt, saleId, wish) => call(`${saleAt(saleId)}/purchases`, as(jwt, post(wish))),
    order: (jwt, orderId, receipt) => {
      const shown = receipt === null ? '' : `?receipt=${encodeURIComponent(receipt)}`;
      return call(`/v1/orders/${encodeURIComponent(orderId)}${shown}`, as(jwt));
    },
  };
}

function refusedBy(response: Response, body: unknown): Reply<never> {
  if (!hasField(body, 'reason')) return { kind: 'unclear' };
  const retryAfterMs = Number(response.headers.get('retry-after') ?? 0) * 1_000;
  return { kind: 'refused', reason: String(body.reason), retryAfterMs };
}

function learn(clock: ServerClock, body: unknown, sentMs: number): void {
  const dated = hasField(body, 'sales') && Array.isArray(body.sales) ? (body.sales[0] as unknown) : body;
  if (hasField(dated, 'serverTimeMs')) clock.learn(Number(dated.serverTimeMs), sentMs, performance.now());
}

function hasField<Name extends string>(value: unknown, name: Name): value is Record<Name, unknown> {
  return typeof value === 'object' && value !== null && name in value;
}
