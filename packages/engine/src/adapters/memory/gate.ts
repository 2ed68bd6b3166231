/**
 * The gate in memory: decideClaim applied to plain maps. The specification that runs; every other gate must agree with it.
 *
 * A call runs to its end in one turn, so it is atomic as long as nothing fails after its first write: everything that can
 * be wrong is looked at before.
 */
import { type ClaimMark, type ClaimSituation, decideClaim } from '../../domain/gate/decide-claim.ts';
import type { BuyerId } from '../../domain/ids.ts';
import { invariant, isUnitCount } from '../../domain/invariant.ts';
import { segmentName } from '../../domain/inventory/quota.ts';
import type { QuotaTotals } from '../../domain/inventory/quota-totals.ts';
import { type Claim, claimId } from '../../domain/order/claim.ts';
import { isSameTerms, type SaleTerms } from '../../domain/sale/sale.ts';
import type { Clock } from '../../ports/clock.ts';
import {
  type ClaimOutcome,
  type ClaimRequest,
  type Gate,
  type GateCall,
  MAX_CLAIMS_PER_CALL,
  type Refused,
} from '../../ports/gate.ts';
import type { QueueEntry } from '../../ports/queue.ts';
import type { MemoryQueue } from './queue.ts';
import { addMark, changeMark, markOf, type Segment, segmentFrom, viewOf } from './segment.ts';

/** One server: who it is, and what it holds by segment name. */
export interface Server {
  identity: string;
  readonly segments: Map<string, Segment>;
}

export interface MemoryGateParts {
  readonly clock: Clock;
  readonly server: Server;
  readonly queue: Pick<MemoryQueue, 'put' | 'putAgain' | 'has'>;
}

const NO_MARKS: readonly ClaimMark[] = [];

/** What a claim is judged by when there is no such segment. */
const ABSENT = {
  terms: { version: 0, state: 'draft', startsAtMs: 0, endsAtMs: 0, limitUnits: 0 } satisfies SaleTerms,
  availableUnits: new Map<string, number>(),
  marks: new Map<string, ClaimMark[]>(),
};

export function createMemoryGate({ clock, server, queue }: MemoryGateParts): Gate {
  return {
    async identity() {
      return server.identity;
    },

    async claim(call, claims) {
      invariant(claims.length <= MAX_CLAIMS_PER_CALL, `a call carries at most ${MAX_CLAIMS_PER_CALL} claims`);
      for (const claim of claims) {
        invariant(isUnitCount(claim.units) && claim.units > 0, 'a claim asks for a positive whole number of units');
      }
      const segment = server.segments.get(segmentName(call.segment)) ?? null;
      const ready = segment !== null && isHome(segment, call, server);
      const claimedAtMs = clock.nowMs();
      const won: QueueEntry[] = [];
      const siblings = segment ? siblingsOf(segment, server) : [];
      const outcomes = judge(segment, { call, ready, nowMs: claimedAtMs, siblings }, claims);
      for (const outcome of outcomes) {
        if (outcome.kind === 'claimed') won.push({ claim: outcome.claim, claimedAtMs });
      }
      if (won.length > 0) queue.put(call.segment, won);
      return outcomes;
    },

    async markSettled(call, claims) {
      const segment = admit(call, clock, server);
      if (typeof segment === 'string') return segment;
      for (const claim of claims) {
        const mark = markOf(segment, claim);
        if (mark?.state === 'claimed') changeMark(segment, claim, mark, 'settled');
      }
      return 'marked';
    },

    async credit(call, credit) {
      invariant(isUnitCount(credit.units) && credit.units > 0, 'a credit is a positive whole number of units');
      const segment = admit(call, clock, server);
      if (typeof segment === 'string') return segment;
      if (segment.epoch !== credit.epoch) return 'not_ready';
      if (segment.appliedMoveIds.has(credit.moveId)) return 'repeated';
      if (!addUnits(segment, credit.channel, credit.units)) return 'not_ready';
      addToTotal(segment, credit.channel, 'credited', credit.units);
      segment.appliedMoveIds.add(credit.moveId);
      return 'credited';
    },

    async debit(call, { moveId, epoch, channel, units }) {
      invariant(units === null || (isUnitCount(units) && units > 0), 'a debit is a positive whole number of units');
      const segment = admit(call, clock, server);
      if (typeof segment === 'string') return segment;
      if (segment.epoch !== epoch) return 'not_ready';
      const remembered = segment.debitedUnits.get(moveId);
      if (remembered !== undefined) return { kind: 'repeated', units: remembered };
      const available = segment.availableUnits.get(channel);
      if (available === undefined) return 'not_ready';
      const debited = Math.min(units ?? available, available);
      segment.availableUnits.set(channel, available - debited);
      segment.debitedUnits.set(moveId, debited);
      addToTotal(segment, channel, 'debited', debited);
      return { kind: 'debited', units: debited };
    },

    async release(call, claim, epoch, destination) {
      const segment = admit(call, clock, server);
      if (typeof segment === 'string') return segment;
      if (segment.epoch !== epoch) return 'not_ready';
      const mark = markOf(segment, claim);
      if (!mark) return 'unknown_claim';
      if (mark.state === 'ended') return 'repeated';
      const isBack = destination === 'centre' || addUnits(segment, mark.origin.channel, mark.units);
      if (!isBack) return 'not_ready';
      if (destination === 'quota') addToTotal(segment, mark.origin.channel, 'released', mark.units);
      changeMark(segment, claim, mark, 'ended');
      return 'released';
    },

    async setTerms(call, terms, epoch) {
      const segment = admit(call, clock, server);
      if (typeof segment === 'string') return segment;
      if (segment.epoch !== epoch) return 'not_ready';
      if (terms.version < segment.terms.version) return 'stale';
      // Which change of window or limit lets somebody buy need not be told apart: one generation too many costs a look.
      if (terms.state === 'live' && !isSameTerms(segment.terms, terms)) segment.generation += 1;
      segment.terms = terms;
      return 'set';
    },

    async load(call, load) {
      const name = segmentName(load.segment);
      invariant(name === segmentName(call.segment), 'a load is for the segment that is called');
      if (clock.nowMs() > call.deadlineMs) return 'late';
      const before = server.segments.get(name);
      if (call.identity !== server.identity || (before && load.epoch <= before.epoch)) return 'not_ready';
      server.segments.set(name, segmentFrom(load, server.identity, (before?.generation ?? 0) + 1));
      return 'loaded';
    },

    async strays(key, _from, queued = new Set()) {
      const segment = server.segments.get(segmentName(key));
      if (!segment) return { strays: [], position: null, isWaiting: false, next: null };
      const unsettled = [...segment.unsettled.values()];
      return {
        strays: unsettled.filter((claim) => !queued.has(claimId(claim)) && !queue.has(claim)),
        position: { epoch: segment.epoch, seq: segment.seq },
        isWaiting: unsettled.length > 0,
        next: null,
      };
    },

    async requeue(call, claims) {
      const segment = admit(call, clock, server);
      if (typeof segment === 'string') return segment;
      const claimedAtMs = clock.nowMs();
      for (const claim of claims) {
        if (markOf(segment, claim)?.state !== 'claimed' || queue.has(claim)) continue;
        queue.putAgain({ claim, claimedAtMs });
        // As where ids of entries only rise: a number is spent.
        segment.seq += 1;
      }
      return 'requeued';
    },

    async read(key) {
      const segment = server.segments.get(segmentName(key));
      return segment ? viewOf(segment) : null;
    },
  };
}

/** True when the caller speaks to the server it means, and that server is the one that was loaded (P1). */
function isHome(segment: Segment, call: GateCall, server: Server): boolean {
  return call.identity === server.identity && segment.identity === server.identity;
}

/** The segment that a call may change, or why it may not (P2). */
function admit(call: GateCall, clock: Clock, server: Server): Segment | Refused {
  if (clock.nowMs() > call.deadlineMs) return 'late';
  const segment = server.segments.get(segmentName(call.segment));
  return segment && isHome(segment, call, server) ? segment : 'not_ready';
}

/** False, and nothing changed, when there is no such quota. Units that come in are claimable: the generation rises. */
function addUnits(segment: Segment, channel: string, units: number): boolean {
  const available = segment.availableUnits.get(channel);
  if (available === undefined) return false;
  invariant(isUnitCount(available + units), 'a quota holds a number of units that stays exact');
  segment.availableUnits.set(channel, available + units);
  segment.generation += 1;
  return true;
}

/** The same part of the buyers in the other sales of its limit group. */
function siblingsOf({ key, terms }: Segment, server: Server): readonly Segment[] {
  if (terms.limitGroup === undefined) return [];
  return [...server.segments.values()].filter(
    (other) =>
      other.terms.limitGroup === terms.limitGroup &&
      other.key.saleId !== key.saleId &&
      other.key.region === key.region &&
      other.key.segment === key.segment,
  );
}

function addToTotal(segment: Segment, channel: string, total: keyof QuotaTotals, units: number): void {
  const before = segment.totals.get(channel);
  invariant(before, 'a quota has its totals');
  segment.totals.set(channel, { ...before, [total]: before[total] + units });
}

interface Judgement {
  readonly call: GateCall;
  readonly ready: boolean;
  readonly nowMs: number;
  readonly siblings: readonly Segment[];
}

/** Judges and takes one claim after the other. Nothing is made or kept for one that is refused but its answer. */
function judge(segment: Segment | null, judgement: Judgement, claims: readonly ClaimRequest[]): ClaimOutcome[] {
  const { terms, availableUnits, marks } = segment ?? ABSENT;
  const situation: { -readonly [Key in keyof ClaimSituation]: ClaimSituation[Key] } = {
    ready: judgement.ready,
    terms,
    availableUnits: null,
    marks: NO_MARKS,
    marksBeside: NO_MARKS,
    nowMs: judgement.nowMs,
    deadlineMs: judgement.call.deadlineMs,
  };
  const outcomes: ClaimOutcome[] = [];
  for (const request of claims) {
    situation.availableUnits = availableUnits.get(request.channel) ?? null;
    situation.marks = marks.get(request.buyerId) ?? NO_MARKS;
    situation.marksBeside = marksIn(judgement.siblings, request.buyerId);
    const decision = decideClaim(situation, request);
    if (decision.kind === 'take') {
      invariant(segment && situation.availableUnits !== null, 'units are taken from a quota that exists');
      outcomes.push({ kind: 'claimed', claim: take(segment, request, situation.availableUnits) });
    } else if (decision.kind === 'replay') outcomes.push({ kind: 'replayed', mark: decision.mark });
    else outcomes.push(decision);
  }
  return outcomes;
}

function marksIn(siblings: readonly Segment[], buyerId: BuyerId): readonly ClaimMark[] {
  return siblings.length === 0 ? NO_MARKS : siblings.flatMap((sibling) => sibling.marks.get(buyerId) ?? []);
}

function take(segment: Segment, request: ClaimRequest, available: number): Claim {
  const { orderId, buyerId, channel, units } = request;
  const { saleId, region, segment: number } = segment.key;
  segment.seq += 1;
  const origin = { epoch: segment.epoch, seq: segment.seq, region, segment: number, channel };
  const claim: Claim = { orderId, saleId, buyerId, units, origin };
  segment.availableUnits.set(channel, available - units);
  addToTotal(segment, channel, 'claimed', units);
  const mark: ClaimMark = { orderId, units, origin, state: 'claimed' };
  addMark(segment, buyerId, mark);
  segment.unsettled.set(mark, claim);
  return claim;
}
