/**
 * The gate in Redis: each call is one script, so it is atomic; the scripts in lua/ decide as domain/gate/decide-claim.ts
 * says. A call is stamped with the identity of the server that it is written to, beside the one that its caller means.
 */
import { invariant, isUnitCount } from '../../domain/invariant.ts';
import type { Claim } from '../../domain/order/claim.ts';
import { type ClaimOutcome, type Gate, type GateCall, MAX_CLAIMS_PER_CALL, type Refused } from '../../ports/gate.ts';
import { readAnswers, writeClaims } from './claim-call.ts';
import { CLAIM, CREDIT, MARK_SETTLED, RELEASE, SET_TERMS } from './commands.ts';
import { debitUnits } from './debit-units.ts';
import type { Layout } from './layout.ts';
import { loadSegment } from './load-segment.ts';
import { nameOf, writeWord } from './marks.ts';
import { readSegmentView } from './read-segment.ts';
import type { IsReplicated } from './replicated.ts';
import type { Segments } from './segments.ts';
import { keep } from './settled-keys.ts';
import { stampOf, wordOr } from './stamp.ts';
import { readStrays, requeue } from './strays.ts';

export interface RedisGateParts {
  readonly layout: Layout;
  readonly segments: Segments;
  /** Null: a claim counts as soon as its master has it. */
  readonly isReplicated: IsReplicated | null;
  /** Called after a call that queued something. */
  readonly onQueued: () => void;
}

export function createRedisGate({ layout, segments, isReplicated, onQueued }: RedisGateParts): Gate {
  return {
    async identity(segment, limitGroup) {
      if (limitGroup !== undefined) layout.meet(segment, limitGroup);
      return (await layout.placeOf(segment)).connection.identity();
    },

    async claim(call, claims) {
      if (claims.length === 0) return [];
      invariant(claims.length <= MAX_CLAIMS_PER_CALL, `a call carries at most ${MAX_CLAIMS_PER_CALL} claims`);
      for (const { units, buyerId } of claims) {
        invariant(isUnitCount(units) && units > 0, 'a claim asks for a positive whole number of units');
        invariant(buyerId !== '', 'a buyer has an id');
      }
      const { runs, ...ids } = writeClaims(claims);
      const { keys, connection } = await layout.placeOf(call.segment);
      const stamp = stampOf(connection, call);
      const reply = await connection.run(CLAIM, {
        keys,
        arguments: { ...stamp, ...ids },
        more: runs,
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
        const answer = await markSettled(layout, call, claims.slice(from, from + MAX_CLAIMS_PER_CALL));
        if (answer !== 'marked' || from + MAX_CLAIMS_PER_CALL >= claims.length) return answer;
      }
    },

    async credit(call, { epoch, moveId, channel, units }) {
      invariant(isUnitCount(units) && units > 0, 'a credit is a positive whole number of units');
      const { keys, connection } = await layout.placeOf(call.segment);
      const answer = await connection.run(CREDIT, {
        keys,
        arguments: { ...stampOf(connection, call), epoch, move_id: moveId, channel: writeWord(channel), units },
      });
      return wordOr(answer, 'a quota holds a number of units that stays exact');
    },

    debit: (call, debit) => debitUnits(layout, call, debit),

    async release(call, claim, epoch, destination) {
      const { keys, connection } = await layout.placeOf(call.segment);
      const answer = await connection.run(RELEASE, {
        keys,
        arguments: {
          ...stampOf(connection, call),
          ...{ epoch, buyer: claim.buyerId, ...nameOf(claim, call.segment), destination },
        },
      });
      return wordOr(answer, 'a quota holds a number of units that stays exact');
    },

    async setTerms(call, terms, epoch) {
      const { version, state, startsAtMs, endsAtMs, limitUnits } = terms;
      const place = await layout.placeOf(call.segment);
      if (state !== 'closed') await keep(place);
      const { keys, connection } = place;
      const answer = await connection.run(SET_TERMS, {
        keys,
        arguments: {
          ...stampOf(connection, call),
          ...{ epoch, version, state, starts_ms: startsAtMs, ends_ms: endsAtMs, limit: limitUnits },
        },
      });
      return wordOr(answer, 'terms are whole numbers');
    },

    load: (call, load) => loadSegment(layout, call, load),

    strays: (segment, from, queued) => readStrays(layout, segment, { from, queued }),
    async requeue(call, claims) {
      const answer = await requeue(layout, call, claims);
      if (answer === 'requeued') onQueued();
      return answer;
    },

    async read(segment) {
      const view = await readSegmentView(layout, segment);
      if (view) segments.meet(segment);
      return view;
    },
  };
}

/** It would end with its master. */
function isTaken(outcome: ClaimOutcome): boolean {
  return outcome.kind === 'claimed' || (outcome.kind === 'replayed' && outcome.mark.state === 'claimed');
}

async function markSettled(layout: Layout, call: GateCall, claims: readonly Claim[]) {
  const { keys, connection } = await layout.placeOf(call.segment);
  const names = claims.map((claim) => nameOf(claim, call.segment));
  const answer = await connection.run(MARK_SETTLED, {
    keys,
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
