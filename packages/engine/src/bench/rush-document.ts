/** The one document that `sluice rush --json` prints: a promise to the programs that read it. */
import { PLACES_READING } from '@sluice/contract';
import Type, { type Static, type TSchema } from 'typebox';
import { VIOLATIONS, type ViolationName } from './check-books.ts';
import { LATENCY_KINDS } from './latency-kinds.ts';
import type { RushReport } from './rush-options.ts';

const STRICT = { additionalProperties: false };

const count = (description: string) => Type.Integer({ minimum: 0, description });
const ms = () => Type.Number({ minimum: 0 });

const LATENCIES = Type.Object(
  { count: count('How many were timed.'), p50: ms(), p90: ms(), p99: ms(), p999: ms(), max: ms() },
  STRICT,
);
const LAG = Type.Object({ p50: ms(), p99: ms(), max: ms() }, STRICT);

/** An object with one `schema` for each of `names`. */
function each<Name extends string, Schema extends TSchema>(names: readonly Name[], schema: (name: Name) => Schema) {
  return Type.Object(Object.fromEntries(names.map((name) => [name, schema(name)])) as Record<Name, Schema>, STRICT);
}

export const RUSH_DOCUMENT = Type.Object(
  {
    buyers: count('Who came.'),
    attempts: count('Goes with a token of their own; a click or a retry with the same token is the same attempt.'),
    outcomes: Type.Record(Type.String(), Type.Integer({ minimum: 0 }), {
      description: 'How visits ended: `accepted`, the reason of a refusal, `gave_up`, `unanswered`, `unexpected`.',
    }),
    latencyMs: each(Object.keys(LATENCY_KINDS) as (keyof typeof LATENCY_KINDS)[], (kind) => ({
      ...LATENCIES,
      description: `From when it was meant to be sent: ${LATENCY_KINDS[kind]}.`,
    })),
    lagMs: Type.Object(
      {
        eventLoop: LAG,
        schedule: LAG,
        keptUp: Type.Boolean({ description: 'False: the sender was too slow; latencyMs is partly its own.' }),
      },
      { ...STRICT, description: 'How late the sender was itself.' },
    ),
    orders: count('Orders that were accepted.'),
    places: PLACES_READING,
    violations: Type.Array(
      Type.Object(
        {
          name: Type.Enum(Object.keys(VIOLATIONS) as ViolationName[]),
          count: count('How often.'),
          example: Type.String({ description: 'The first one.' }),
        },
        STRICT,
      ),
      { description: 'Broken promises; exit status 1 when there is one.' },
    ),
  },
  { ...STRICT, title: 'Rush' },
);

export type RushDocument = Static<typeof RUSH_DOCUMENT>;

export function rushDocument(report: RushReport): RushDocument {
  const { buyers, attempts, outcomes, latencyMs, lagMs, orders, places } = report;
  return { buyers, attempts, outcomes, latencyMs, lagMs, orders, places, violations: [...report.violations] };
}
