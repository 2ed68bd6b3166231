/**
 * The relay: brings events from the ledger's outbox to webhook endpoints. What it knows is in the ledger, so it may be killed
 * anywhere, stopped and started, and run several times at once: a delivery is tried until the receiver took it or it is a
 * dead letter, under an id that stays the same, and events of one order arrive in their order.
 *
 * Each endpoint has a lane of its own, with its own breaker: one that hangs or fails holds up no other.
 */
import { MAX_HANDED_OUT } from '../ports/outbox.ts';
import { createRounds, type Rounds, type RoundsDeps } from './rounds.ts';
import { createWebhookLane, type WebhookLane, type WebhookLaneDeps } from './webhook-lane.ts';

export interface RelayDeps extends WebhookLaneDeps, RoundsDeps {}

export interface Relay extends Rounds {
  /** Hands events out and wakes the lanes; answers whether there is more to hand out. */
  round(): Promise<boolean>;
  /** Resolves when no lane has anything in hand. */
  idle(): Promise<void>;
}

/** How late an event may leave. An idle relay costs three small reads for each. */
const BETWEEN_ROUNDS_MS = 250;

/** Receivers that hang are not waited for at a stop: their deliveries are tried again when the lease has ended. */
const STOP_PATIENCE_MS = 2_000;

export function createRelay(deps: RelayDeps): Relay {
  const lanes = new Map<string, WebhookLane>();

  async function round(): Promise<boolean> {
    const handedOut = await deps.outbox.handOut();
    const endpoints = await deps.webhooks.list();
    for (const endpoint of endpoints) {
      const lane = lanes.get(endpoint.id) ?? createWebhookLane(deps);
      lanes.set(endpoint.id, lane);
      lane.wake(endpoint);
    }
    const ids = new Set(endpoints.map(({ id }) => id));
    for (const id of lanes.keys()) if (!ids.has(id)) lanes.delete(id);
    return handedOut === MAX_HANDED_OUT;
  }

  async function idle(): Promise<void> {
    await Promise.all([...lanes.values()].map((lane) => lane.idle()));
  }

  const rounds = createRounds(deps, BETWEEN_ROUNDS_MS, round);
  return {
    ...{ round, idle, start: rounds.start },
    async stop() {
      await rounds.stop();
      for (const lane of lanes.values()) lane.close();
      const patience = new Promise<void>((resolve) => deps.clock.after(STOP_PATIENCE_MS, resolve));
      await Promise.race([idle(), patience]);
    },
  };
}
