/** Likewise for events on their way to a receiver: each of these engines breaks one rule of the outbox. */
import { describe } from 'vitest';
import type { Stores } from './gate-server.ts';
import { type Planted, plantedContract } from './planted.contract.ts';

type Outbox = Stores['ledger']['outbox'];
const withOutbox = (change: (outbox: Outbox) => Partial<Outbox>) => (stores: Stores) => {
  const { ledger } = stores;
  return { ...stores, ledger: { ...ledger, outbox: { ...ledger.outbox, ...change(ledger.outbox) } } };
};

const PLANTED: readonly Planted[] = [
  {
    rule: 'a delivery is forgotten when its receiver has it, not before',
    ...{ scenario: 'events', withinSeeds: 40 },
    broken: ['every event is told', 'events of an order come in their order'],
    plant: withOutbox((outbox) => ({
      async claim(claim) {
        const deliveries = await outbox.claim(claim);
        for (const { id } of deliveries) await outbox.delivered({ id, claimId: claim.claimId });
        return deliveries;
      },
    })),
  },
  {
    rule: 'what was not answered is sent again',
    ...{ scenario: 'events', withinSeeds: 40 },
    broken: ['every event is told', 'events of an order come in their order'],
    parts({ webhookSender: sender, ...parts }) {
      if (!sender) return parts;
      const send: typeof sender.send = async (call) => {
        const answer = await sender.send(call);
        return answer.kind === 'unanswered' ? { kind: 'delivered', status: 204 } : answer;
      };
      return { ...parts, webhookSender: { ...sender, send } };
    },
  },
  {
    rule: 'one event of an order at a time',
    ...{ scenario: 'events', withinSeeds: 40 },
    broken: ['events of an order come in their order'],
    // Whoever asks gets the next one, too: as if the first were under way to be told.
    plant: withOutbox((outbox) => ({
      async claim(claim) {
        const first = await outbox.claim(claim);
        for (const { id } of first) await outbox.failed({ id, claimId: claim.claimId }, 'set aside', null);
        const second = await outbox.claim(claim);
        await outbox.replay(claim.endpointId, null);
        return [...second, ...first];
      },
    })),
  },
];

describe('is found: events', () => plantedContract(PLANTED));
