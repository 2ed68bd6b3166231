/** Who comes to a rush, and how each of them behaves. */
import { createBuyerJwt } from '../adapters/system/buyer-jwt.ts';
import { arrivalOfBot, arrivalsOf } from './arrivals.ts';
import type { Dice } from './dice.ts';
import type { RushOptions } from './rush-options.ts';
import type { Intent, VisitPlan } from './visit.ts';

/** Longer than any rush. */
const JWT_LIFETIME_MS = 6 * 60 * 60_000;

/** Each run brings new people: those of the last one have used their limit up. */
export function planVisits(options: RushOptions, dice: Dice, runName: string): readonly VisitPlan[] {
  const { jwtKey: secret, buyerClaim, issuer, audience } = options;
  const jwtOf = createBuyerJwt({ secret, buyerClaim, issuer, audience, lifetimeMs: JWT_LIFETIME_MS });
  const arrivals = arrivalsOf(options, options.buyers, dice);
  return arrivals.map((arrivesAtMs, index) => {
    const buyerId = `${runName}-${index}`;
    const isBot = options.profile === 'bots' && dice.chance(options.bots);
    return {
      ...{ buyerId, jwt: jwtOf(buyerId), address: addressOf(index) },
      ...{ isBot, arrivesAtMs: isBot ? arrivalOfBot(options.overMs, dice) : arrivesAtMs },
      clicksTwice: dice.chance(options.doubleClicks),
      secondToken: secondTokenOf(options, dice),
      intent: intentOf(options, dice),
    };
  });
}

function secondTokenOf({ secondTokens }: RushOptions, dice: Dice): VisitPlan['secondToken'] {
  if (!dice.chance(secondTokens)) return 'none';
  return dice.chance(0.5) ? 'at_once' : 'after';
}

function intentOf({ payments }: RushOptions, dice: Dice): Intent {
  if (!payments) return 'leaves';
  const roll = dice.roll();
  if (roll < payments.neverPay) return 'never_pays';
  if (roll < payments.neverPay + payments.payLate) return 'pays_late';
  return roll < payments.neverPay + payments.payLate + payments.cancel ? 'cancels' : 'pays';
}

/** In 10.0.0.0/8, one for each of the first 16 million. */
function addressOf(index: number): string {
  return `10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`;
}
