import { afterEach, describe, expect, test } from 'vitest';
import { MAX_ENDPOINTS, secretsAt } from '../domain/outbox/webhook-endpoint.ts';
import type { Ledger } from './ledger.ts';
import { newClaim, openSale } from './ledger-fixture.contract.ts';
import { addEndpoint, claimOf, handOutAll, removeEndpoints } from './outbox.contract.ts';

const URL = 'https://receiver.test/hook';

export function webhooksContract(ledger: () => Ledger): void {
  const webhooks = () => ledger().webhooks;

  describe('webhook endpoints', () => {
    afterEach(() => removeEndpoints(ledger()));

    test('are added once, listed by id, and taken away', async () => {
      const endpoint = {
        id: 'mail',
        url: URL,
        eventTypes: ['order.paid', 'sale.closed'] as const,
        secret: 'whsec_MQ==',
      };
      const added = await webhooks().add(endpoint);
      expect(added).toMatchObject({ kind: 'added', endpoint: { ...endpoint, oldSecret: null } });
      expect(await webhooks().add({ ...endpoint, url: 'https://other.test/' })).toEqual({ kind: 'exists' });
      await webhooks().add({ ...endpoint, id: 'Mail', eventTypes: null });
      expect(await webhooks().find('mail')).toEqual(added.kind === 'added' && added.endpoint);
      expect((await webhooks().list()).map(({ id }) => id)).toEqual(['Mail', 'mail']);
      for (const id of ['Mail', 'mail']) expect(await webhooks().remove(id)).toBe(true);
      expect(await webhooks().remove('mail')).toBe(false);
      expect(await webhooks().find('mail')).toBeNull();
    });

    test('are no more than each event can be written for', async () => {
      const ids = Array.from({ length: MAX_ENDPOINTS }, (_, index) => `many-${index}`);
      for (const id of ids) await webhooks().add({ id, url: URL, eventTypes: null, secret: 'whsec_MQ==' });
      const oneMore = { id: 'one-more', url: URL, eventTypes: null, secret: 'whsec_MQ==' };
      expect(await webhooks().add(oneMore)).toEqual({ kind: 'too_many' });
    });

    test('take with them what waits for them', async () => {
      const endpointId = await addEndpoint(ledger());
      const saleId = await openSale(ledger());
      await ledger().settlement.settle([newClaim(saleId, 1)]);
      await handOutAll(ledger());
      expect(await webhooks().read()).toMatchObject([{ endpoint: { id: endpointId }, deliveries: 2, deadLetters: 0 }]);
      await webhooks().remove(endpointId);
      await webhooks().add({ id: endpointId, url: URL, eventTypes: null, secret: 'whsec_MQ==' });
      expect((await claimOf(ledger(), endpointId)).deliveries).toEqual([]);
      expect(await ledger().outbox.depth()).toMatchObject({ deliveries: 0 });
    });

    test('sign with the old secret beside the new one for a while, one rotation at a time', async () => {
      const endpointId = await addEndpoint(ledger());
      const rotated = await webhooks().rotate({ endpointId, secret: 'whsec_Mg==', keepOldMs: 60_000 });
      if (rotated.kind !== 'rotated') throw new Error(rotated.kind);
      const { endpoint } = rotated;
      expect(await webhooks().find(endpointId)).toEqual(endpoint);
      const untilMs = endpoint.oldSecret?.untilMs ?? 0;
      expect(untilMs).toBeGreaterThanOrEqual(endpoint.createdAtMs + 60_000);
      expect(secretsAt(endpoint, untilMs - 1)).toEqual(['whsec_Mg==', 'whsec_MQ==']);
      expect(secretsAt(endpoint, untilMs)).toEqual(['whsec_Mg==']);
      const again = await webhooks().rotate({ endpointId, secret: 'whsec_Mw==', keepOldMs: 60_000 });
      expect(again.kind).toBe('under_way');
      // A secret that has leaked goes at once.
      await webhooks().rotate({ endpointId, secret: 'whsec_NA==', keepOldMs: 0 });
      expect(await webhooks().find(endpointId)).toMatchObject({ secret: 'whsec_NA==', oldSecret: null });
      expect(await webhooks().rotate({ endpointId: 'nobody', secret: 'x', keepOldMs: 0 })).toEqual({ kind: 'absent' });
    });
  });
}
