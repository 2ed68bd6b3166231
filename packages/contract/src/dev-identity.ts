/** Test buyers, for whoever tries Sluice on their own machine. */
import Type from 'typebox';
import { STRICT } from './fields.ts';

export const DEV_IDENTITY_REQUEST = Type.Object(
  { buyer: Type.String({ minLength: 1, maxLength: 512, description: 'Any name.', examples: ['ann'] }) },
  { ...STRICT, title: 'DevIdentityRequest' },
);

export const DEV_IDENTITY = Type.Object(
  { jwt: Type.String({ description: 'For the Authorization header, after "Bearer ".' }) },
  { ...STRICT, title: 'DevIdentity' },
);
