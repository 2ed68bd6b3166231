/** For whoever watches the process. */
import Type, { type Static } from 'typebox';
import { STRICT } from './fields.ts';

export const HEALTH = Type.Object(
  { status: Type.Enum(['live'], { type: 'string', examples: ['live'] }) },
  { ...STRICT, title: 'Health' },
);

const ledger = Type.Enum(['settles', 'stalled'], {
  ...{ type: 'string', examples: ['settles'] },
  description:
    'Of a process that settles: whether its ledger takes what is sold. While it is stalled (a full disk), tries are refused with 503 `busy`; everything else is answered as ever, so send buyers on.',
});

export const READINESS = Type.Object(
  { status: Type.Enum(['ready'], { type: 'string', examples: ['ready'] }), ledger: Type.Optional(ledger) },
  { ...STRICT, title: 'Readiness' },
);

export type ReadinessAnswer = Static<typeof READINESS>;
