/** Where a unit can be. At every moment each unit of a sale is in exactly one of these; together they are its total. */
export const PLACES = ['free', 'available', 'claimed', 'inTransit', 'held', 'sold', 'quarantined'] as const;

export type PlaceName = (typeof PLACES)[number];
