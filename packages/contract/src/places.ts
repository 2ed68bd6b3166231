/** Where the units of a sale are. */
import Type, { type Static } from 'typebox';
import { STRICT, unitsField } from './fields.ts';

export const PLACES_READING = Type.Object(
  {
    free: unitsField('At the centre, allotted to no quota.'),
    available: unitsField('At the gates, to be claimed.'),
    claimed: unitsField('Taken at a gate, and not yet in the ledger.'),
    inTransit: unitsField('Between centre and gates.'),
    held: unitsField('In unpaid orders.'),
    sold: unitsField('In paid orders.'),
    quarantined: unitsField('In messages that wait for a person.'),
    total: unitsField('All units of the sale.'),
    balanced: Type.Boolean({ description: 'The places sum to the total.' }),
    still: Type.Boolean({
      description: 'No unit moved while this was read. Only a still reading can be held to its balance.',
    }),
  },
  { ...STRICT, title: 'Places' },
);

export type PlacesAnswer = Static<typeof PLACES_READING>;
