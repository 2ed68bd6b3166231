/** Which layer of the funnel each attempt of a rush ended at. Pure: told from what buyers heard and found. */
import { REASONS } from '@sluice/contract/codes';
import type { AttemptEnd, FoundOrder, Visit } from './visit.ts';

/** In the order in which an attempt meets them. */
export const LAYERS = {
  limits: 'turned away by the limits of the gateway, or held back while it was busy, for good',
  token: 'refused a token: the sale was known to have nothing to sell',
  gate: 'refused by the gate: no stock, or past the limit of the buyer',
  ledger: 'accepted by the gate and refused by the ledger',
  won: 'became orders',
  broken: 'heard nothing, or what no buyer should',
} as const;

export type Layer = keyof typeof LAYERS;

export type Funnel = Readonly<Record<Layer, number>>;

export function funnelOf(visits: readonly Visit[], found: ReadonlyMap<string, FoundOrder | null>): Funnel {
  const attempts: Record<Layer, number> = { limits: 0, token: 0, gate: 0, ledger: 0, won: 0, broken: 0 };
  for (const { plan, ends } of visits) {
    for (const end of ends) {
      const order = end.kind === 'accepted' ? found.get(`${plan.buyerId}/${end.orderId}`) : null;
      attempts[order?.status === 'refused' || order?.status === 'lost' ? 'ledger' : layerOf(end)]++;
    }
  }
  return attempts;
}

function layerOf(end: AttemptEnd): Layer {
  switch (end.kind) {
    case 'accepted':
      return 'won';
    case 'gave_up':
      return 'limits';
    case 'unanswered':
    case 'unexpected':
      return 'broken';
    case 'refused':
      if (REASONS[end.reason].retry === 'then') return 'limits';
      return end.call === 'token' ? 'token' : 'gate';
  }
}
