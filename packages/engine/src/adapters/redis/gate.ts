/**
 * The gate in Redis: each call is one script, so it is atomic; the scripts in lua/ decide as domain/gate/decide-claim.ts
 * says. A call is stamped with the identity of the server that it is written to, beside the one that its caller means.
 */
import { invariant, isUnitCount } from '../../domain/invariant.ts';
import type { SegmentKey } from '../../domain/inventory/quota.ts';
import type { Claim } from '../../domain/order/claim.ts';
import { type ClaimOutcome, type Gate, type GateCall, MAX_CLAIMS_PER_CALL, type Refused } from '../../ports/gate.ts';
import { readAnswers, writeClaims } from './claim-call.ts';
import { CLAIM, CREDIT, MARK_SETTLED, RELEASE, SET_TERMS } from './commands.ts';
import type { RedisConnection } from './connection.ts';
import { debitUnits } from './debit-units.ts';
import { keysOf } from './keys.ts';
import { loadSegment } from './load-segment.ts';
import { nameOf, writeWord } from './marks.ts';
import type { Masters } from './masters.ts';
import { readSegmentView } from './read-segment.ts';
import type { IsReplicated } from './replicated.ts';
import type { Segments } from './segments.ts';
import { stampOf, wordOr } from './stamp.ts';

export interface RedisGateParts {
  readonly masters: Masters;
  readonly segments: Segments;
  /** Null: a claim counts as soon as its master has it. */
  readonly isReplicated: IsReplicated | null;
  /** Called after a call that queued something. */
  readonly onQueued: () => void;
}

export function createRedisGate({ masters, segments, isReplicated, onQueued }: RedisGateParts): Gate {
  const at = (segment: SegmentKey): RedisConnection => masters.of(keysOf(segment).meta);
  return {
    async identity(segment) {
      return at(segment).identity();
    },

    async claim(call, claims) {
      if (claims.length === 0) return [];
      invariant(claims.length <= MAX_CLAIMS_PER_CALL, `a call carries at most ${MAX_CLAIMS_PER_CALL} claims`);
      for (const { units, buyerId } of claims) {
        invariant(isUnitCount(units) && units > 0, 'a claim asks for a positive whole number of units');
        invariant(buyerId !== '', 'a buyer has an id');
      }
      const { run_count, columns } = writeClaims(claims);
      const connection = at(call.segment);
      const stamp = stampOf(connection, call);
      const reply = await connection.run(CLAIM, {
        keys: keysOf(call.segment),
        arguments: { ...stamp, run_count },
        more: columns,
      });
      if (typeof reply === 'string') {
        const kind = refusedOr(reply);
        return claims.map((): ClaimOutcome => ({ kind }));
      }
      const outcomes = readAnswers(call.segment, claims, reply);
      if (outcomes.some((outcome) => outcome.kind === 'claimed')) onQueued();
      if (!isReplicated || !outcomes.some(isTaken) || (await isReplicated(connection, stamp.server))) return outcomes;
      return outcomes.map((outcome) => (isTaken(outcome) ? { kind: 'unknown' } : outcome));
    },

    async markSettled(call, claims) {
      for (let from = 0; ; from += MAX_CLAIMS_PER_CALL) {
        const answer = await markSettled(at(call.segment), call, claims.slice(from, from + MAX_CLAIMS_PER_CALL));
        if (answer !== 'marked' || from + MAX_CLAIMS_PER_CALL >= claims.length) return answer;
      }
    },

    async credit(call, { epoch, moveId, channel, units }) {
      invariant(isUnitCount(units) && units > 0, 'a credit is a positive whole number of units');
      const connection = at(call.segment);
      const answer = await connection.run(CREDIT, {
        keys: keysOf(call.segment),
        arguments: { ...stampOf(connection, call), epoch, move_id: moveId, channel: writeWord(channel), units },
      });
      return wordOr(answer, 'a quota holds a number of units that stays exact');
    },

    debit: async (call, debit) => debitUnits(at(call.segment), call, debit),

    async release(call, claim, epoch, destination) {
      const connection = at(call.segment);
      const answer = await connection.run(RELEASE, {
        keys: keysOf(call.segment),
        arguments: {
          ...stampOf(connection, call),
          ...{ epoch, buyer: claim.buyerId, ...nameOf(claim, call.segment), destination },
        },
      });
      return wordOr(answer, 'a quota holds a number of units that stays exact');
    },

    async setTerms(call, terms, epoch) {
      const { version, state, startsAtMs, endsAtMs, limitUnits } = terms;
      const connection = at(call.segment);
      const answer = await connection.run(SET_TERMS, {
        keys: keysOf(call.segment),
        arguments: {
          ...stampOf(connection, call),
          ...{ epoch, version, state, starts_ms: startsAtMs, ends_ms: endsAtMs, limit: limitUnits },
        },
      });
      return wordOr(answer, 'terms are whole numbers');
    },

    async load(call, load) {
      await segments.list(call.segment);
      return loadSegment(at(call.segment), call, load);
    },
    async read(segment) {
      const view = await readSegmentView(at(segment), segment);
      if (view) segments.meet(segment);
      return view;
    },
  };
}

/** It would end with its master. */
function isTaken(outcome: ClaimOutcome): boolean {
  return outcome.kind === 'claimed' || (outcome.kind === 'replayed' && outcome.mark.state === 'claimed');
}

async function markSettled(connection: RedisConnection, call: GateCall, claims: readonly Claim[]) {
  const names = claims.map((claim) => nameOf(claim, call.segment));
  const answer = await connection.run(MARK_SETTLED, {
    keys: keysOf(call.segment),
    arguments: { ...stampOf(connection, call), count: claims.length },
    more: [
      ...claims.map((claim) => claim.buyerId),
      ...names.map((name) => name.order_id),
      ...names.map((name) => name.position),
      ...names.map((name) => name.channel),
    ],
  });
  return wordOr(answer, 'a call marks no more claims than it may');
}

function refusedOr(word: 'late' | 'not_ready' | 'bad_argument'): Refused {
  invariant(word !== 'bad_argument', 'a claim call is written as its script reads it');
  return word;
}
