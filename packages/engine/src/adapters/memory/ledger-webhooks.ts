/** Webhook endpoints in memory. */
import { decideRotation, MAX_ENDPOINTS, type WebhookEndpoint } from '../../domain/outbox/webhook-endpoint.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Webhooks } from '../../ports/webhooks.ts';
import type { Rows } from './ledger-rows.ts';

export function createMemoryWebhooks(rows: Rows, clock: Clock): Webhooks {
  const { endpoints, deliveries } = rows;
  const byId = (): readonly WebhookEndpoint[] => [...endpoints.values()].sort((a, b) => (a.id < b.id ? -1 : 1));

  function countOf(endpointId: string, state: 'pending' | 'dead'): number {
    return [...deliveries.values()].filter((row) => row.endpointId === endpointId && row.state === state).length;
  }

  return {
    async add(added) {
      if (endpoints.has(added.id)) return { kind: 'exists' };
      if (endpoints.size >= MAX_ENDPOINTS) return { kind: 'too_many' };
      const endpoint = { ...added, oldSecret: null, createdAtMs: clock.nowMs() };
      endpoints.set(added.id, endpoint);
      return { kind: 'added', endpoint };
    },

    async find(endpointId) {
      return endpoints.get(endpointId) ?? null;
    },

    async list() {
      return byId();
    },

    async read() {
      return byId().map((endpoint) => ({
        ...{ endpoint, deliveries: countOf(endpoint.id, 'pending'), deadLetters: countOf(endpoint.id, 'dead') },
      }));
    },

    async remove(endpointId) {
      for (const row of deliveries.values()) if (row.endpointId === endpointId) deliveries.delete(row.id);
      return endpoints.delete(endpointId);
    },

    async rotate({ endpointId, secret, keepOldMs }) {
      const endpoint = endpoints.get(endpointId);
      if (!endpoint) return { kind: 'absent' };
      const nowMs = clock.nowMs();
      if (decideRotation(endpoint, keepOldMs === 0, nowMs) === 'under_way') return { kind: 'under_way', endpoint };
      const oldSecret = keepOldMs === 0 ? null : { secret: endpoint.secret, untilMs: nowMs + keepOldMs };
      const rotated = { ...endpoint, secret, oldSecret };
      endpoints.set(endpointId, rotated);
      return { kind: 'rotated', endpoint: rotated };
    },
  };
}
