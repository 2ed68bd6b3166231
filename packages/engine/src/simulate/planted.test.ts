/**
 * The auditors must be proven, too: each of these engines breaks one rule, and is found out within the seeds stated; the
 * engine without the error keeps every promise in the very world that found it.
 */
import { describe } from 'vitest';
import type { PlacesReading } from '../inventory/read-places.ts';
import { createGateServer } from './gate-server.ts';
import { type Planted, plantedContract, withCentre, withGate, withSettle } from './planted.contract.ts';

const PLANTED: readonly Planted[] = [
  {
    rule: 'a second claim gives its units back',
    ...{ scenario: 'gate-loss', fromSeed: 60, withinSeeds: 100 },
    broken: ['a claim that ends gives its units back'],
    plant: withSettle(({ ledger }) => async (claims) => {
      const outcomes = await ledger.settlement.settle(claims);
      return outcomes.map((each) => (each.kind === 'second_claim' ? { ...each, release: null } : each));
    }),
  },
  {
    rule: 'entries are acknowledged after the commit, not before',
    ...{ scenario: 'worker-crash', withinSeeds: 20 },
    broken: ['an entry stays until the ledger has it'],
    parts: (parts) => ({
      ...parts,
      queue: {
        ...parts.queue,
        async read(consumer, max) {
          const entries = await parts.queue.read(consumer, max);
          if (entries.length > 0) await parts.queue.remove(entries.map((entry) => entry.claim));
          return entries;
        },
      },
    }),
  },
  {
    rule: 'a claim is released once',
    ...{ scenario: 'gate-loss', fromSeed: 60, withinSeeds: 300 },
    broken: ['the gate has what moved there'],
    plant: withGate((gate) => ({
      async release(call, claim, epoch, destination) {
        const answer = await gate.release(call, claim, epoch, destination);
        const { units, origin } = claim;
        const again = { moveId: `again ${claim.orderId}`, epoch, channel: origin.channel, units };
        if (answer === 'released') await gate.credit(call, again);
        return answer;
      },
    })),
  },
  {
    rule: 'a redelivered entry is the same order',
    ...{ scenario: 'worker-crash', withinSeeds: 20 },
    broken: ['what is settled was claimed'],
    plant: withSettle(({ ledger }) => {
      const met = new Set<string>();
      return (claims) => {
        const renamed = claims.map((claim) => {
          const { orderId, origin } = claim;
          const name = `${orderId} ${origin.epoch}-${origin.seq}`;
          if (!met.has(name)) {
            met.add(name);
            return claim;
          }
          return { ...claim, orderId: `${orderId}again`, origin: { ...origin, seq: origin.seq + 1_000 } };
        });
        return ledger.settlement.settle(renamed);
      };
    }),
  },
  {
    rule: 'a load leaves out what is queued (P7)',
    ...{ scenario: 'gate-loss', withinSeeds: 40 },
    broken: ['a load has what no order and no claim has'],
    plant: withCentre((centre) => ({ openEpoch: (request) => centre.openEpoch({ ...request, queued: [] }) })),
  },
  {
    rule: 'each rebuild writes its cut (P4)',
    ...{ scenario: 'gate-loss', withinSeeds: 100 },
    broken: ['an order needs a claim that has units', 'a void claim gives nothing back'],
    plant: withCentre((centre) => ({
      openEpoch: (request) => centre.openEpoch({ ...request, cutThrough: { epoch: 1_000_000, seq: 0 } }),
    })),
  },
  {
    rule: 'a call that comes late moves nothing (P2)',
    ...{ scenario: 'lost-answers', fromSeed: 170, withinSeeds: 400 },
    broken: ['a late call moves nothing'],
    plant: withGate((gate) => ({
      claim: (call, claims) => gate.claim({ ...call, deadlineMs: Number.POSITIVE_INFINITY }, claims),
    })),
  },
  {
    rule: 'another server is rebuilt, not trusted (P1)',
    ...{ scenario: 'gate-loss', withinSeeds: 20 },
    broken: ['a gate that was not loaded moves nothing'],
    plant: (stores, clock) => ({
      ...stores,
      ...createGateServer(clock, { newId: () => 'the same for ever' }),
    }),
  },
  {
    rule: 'an answer follows the commit',
    ...{ scenario: 'calm', withinSeeds: 20 },
    broken: ['what is answered is in the ledger'],
    parts: (parts) => {
      const { settlement } = parts.ledger;
      const settle: typeof settlement.settle = (claims) => {
        const hoped = { state: 'pending', refusal: null, settledAtMs: 0, dueAtMs: 0 } as const;
        parts.feed.publish(claims.map((claim) => ({ ...claim, ...hoped })));
        return settlement.settle(claims);
      };
      return { ...parts, ledger: { ...parts.ledger, settlement: { ...settlement, settle } } };
    },
  },
  {
    rule: 'a buyer is held to the limit at the gate',
    ...{ scenario: 'calm', withinSeeds: 60 },
    broken: ['no buyer passes the limit'],
    plant: withGate((gate) => ({
      load: (call, load) => gate.load(call, { ...load, terms: { ...load.terms, limitUnits: 1_000 } }),
      setTerms: (call, terms, epoch) => gate.setTerms(call, { ...terms, limitUnits: 1_000 }, epoch),
    })),
  },
  {
    rule: 'a move is credited once',
    ...{ scenario: 'lost-answers', withinSeeds: 200 },
    broken: ['a move arrives once'],
    plant: withGate((gate) => ({
      async credit(call, credit) {
        const answer = await gate.credit(call, credit);
        return answer === 'repeated' ? gate.credit(call, { ...credit, moveId: `${credit.moveId} again` }) : answer;
      },
    })),
  },
  {
    rule: 'what is said to be credited is there',
    ...{ scenario: 'calm', withinSeeds: 20 },
    broken: ['the gate has what moved there'],
    plant: withGate(() => ({ credit: async () => 'credited' })),
  },
  {
    rule: 'a claim that was made is answered again, not made again',
    ...{ scenario: 'calm', withinSeeds: 20 },
    broken: [
      'a claim is asked for',
      'no buyer passes the limit',
      'a win is answered for ever',
      'who has a claim is not refused',
    ],
    plant: withGate((gate) => ({
      async claim(call, claims) {
        const outcomes = await gate.claim(call, claims);
        if (!outcomes.some((outcome) => outcome.kind === 'replayed')) return outcomes;
        return gate.claim(
          call,
          claims.map((claim) => ({ ...claim, orderId: `${claim.orderId}again` })),
        );
      },
    })),
  },
  {
    rule: 'an entry that was lost comes again (P14)',
    ...{ scenario: 'calm', withinSeeds: 20 },
    broken: ['every buyer gets an answer', 'every claim ends'],
    plant(stores) {
      let reads = 0;
      const read: typeof stores.queue.read = async (consumer, max) => {
        const entries = await stores.queue.read(consumer, max);
        if (entries.length > 0) reads += 1;
        if (reads % 3 !== 0) return entries;
        await stores.queue.remove(entries.map((entry) => entry.claim));
        return [];
      };
      const strays = async () => ({ strays: [], position: null, isWaiting: false, next: null });
      return { ...stores, gate: { ...stores.gate, strays }, queue: { ...stores.queue, read } };
    },
  },
  {
    rule: 'busy is not sold out',
    ...{ scenario: 'swarm', withinSeeds: 100 },
    broken: ['none left is said when none is left', 'no unit is stranded'],
    engine: (engine) => ({
      ...engine,
      async purchase(request) {
        const answer = await engine.purchase(request);
        return answer.kind === 'refused' && answer.reason === 'busy'
          ? { kind: 'refused', reason: 'none_left_now' }
          : answer;
      },
    }),
  },
  {
    rule: 'a refusal leaves no trace',
    ...{ scenario: 'calm', withinSeeds: 20 },
    broken: ['who has a claim is not refused', 'a win is answered for ever'],
    engine: (engine) => ({
      ...engine,
      async purchase(request) {
        const answer = await engine.purchase(request);
        return answer.kind === 'accepted' && answer.isReplayed ? { kind: 'refused', reason: 'over_limit' } : answer;
      },
    }),
  },
  {
    rule: 'places are read by ids, not by counting twice',
    ...{ scenario: 'calm', withinSeeds: 20 },
    broken: ['a still reading is balanced', 'at rest the places agree with the books'],
    engine: (engine) => ({
      ...engine,
      async readPlaces(saleId) {
        const result = await engine.readPlaces(saleId);
        if (result.kind !== 'read') return result;
        const places = { ...result.reading.places, held: 2 * result.reading.places.held };
        const reading: PlacesReading = { ...result.reading, places };
        return { ...result, reading };
      },
    }),
  },
];

describe('the auditors find an engine out that forgets that', () => plantedContract(PLANTED));
