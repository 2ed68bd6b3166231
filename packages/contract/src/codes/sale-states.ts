/** The states that people give a sale. */
export const SALE_STATES = ['draft', 'live', 'paused', 'closed', 'settled'] as const;

export type SaleState = (typeof SALE_STATES)[number];

/** What the clock says of a sale's window. */
export const SALE_PHASES = ['upcoming', 'selling', 'over'] as const;

export type SalePhase = (typeof SALE_PHASES)[number];

/** As operators see it: of a draft the clock says nothing, whatever its window. */
export const OPERATED_SALE_PHASES = ['draft', ...SALE_PHASES] as const;
