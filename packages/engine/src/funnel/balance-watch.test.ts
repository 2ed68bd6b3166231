import { expect, test } from 'vitest';
import { newHttpWorld } from '../http/http-world.contract.ts';
import { createGateSession } from '../inventory/gate-session.ts';
import { createBalanceWatch } from './balance-watch.ts';

test('units that come from nowhere are told of once, and again after the places have summed up', async () => {
  const { ledger, store, clock, openSale, close } = await newHttpWorld();
  await openSale('lopsided', { totalUnits: 5 });
  const { gate, queue } = store;
  const watch = createBalanceWatch({
    ...{ gate, queue, clock, inventoryCentre: ledger.inventoryCentre, sales: ledger.sales },
    onFault: () => {},
    onCrash: (error) => {
      throw error;
    },
  });
  const told = async () => (await ledger.inventoryCentre.stock('lopsided', []))?.told.unbalanced;
  await ledger.webhooks.add({
    id: 'watch',
    url: 'http://127.0.0.1:1/',
    eventTypes: ['inventory.unbalanced'],
    secret: 'x',
  });
  await watch.round();
  expect(await told()).toBe(false);

  const segment = { saleId: 'lopsided', region: 'home', segment: 0 };
  const call = await createGateSession(gate, clock).call(segment);
  const epoch = (await gate.read(segment))?.epoch ?? 0;
  await gate.credit(call, { moveId: 'from-nowhere', channel: 'main', units: 2, epoch });
  await watch.round();
  await watch.round();
  expect(await told()).toBe(true);
  await gate.debit(call, { moveId: 'to-nowhere', channel: 'main', units: 2, epoch });
  await watch.round();
  expect(await told()).toBe(false);
  expect(await ledger.outbox.depth()).toMatchObject({ deadLetters: 0 });
  const waiting = async () => {
    const { events, deliveries } = await ledger.outbox.depth();
    return events + deliveries;
  };
  expect(await waiting()).toBeGreaterThanOrEqual(1);
  await close();
});
