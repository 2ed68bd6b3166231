/** For whoever watches the process. */
import Type from 'typebox';
import { STRICT } from './fields.ts';

export const HEALTH = Type.Object(
  { status: Type.Enum(['live', 'ready'], { type: 'string', examples: ['ready'] }) },
  { ...STRICT, title: 'Health' },
);
