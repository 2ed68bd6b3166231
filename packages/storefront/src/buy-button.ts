/** What the button of a sale says, and whether it may be pressed. Pure: the page asks again four times a second. */
import type { SaleState } from '@sluice/contract/codes';

export interface SaleView {
  readonly state: SaleState;
  readonly startsAtMs: number;
  readonly endsAtMs: number;
}

export interface Situation {
  readonly sale: SaleView;
  /** By the server's clock. */
  readonly nowMs: number;
  readonly isSignedIn: boolean;
  readonly isInFlight: boolean;
  /** This sale has nothing left, and nothing will come back. */
  readonly isSoldOut: boolean;
  /** Asked to come again no earlier than this; 0 when not. */
  readonly notBeforeMs: number;
}

export type ButtonWord = 'buy' | 'notYet' | 'buying' | 'soldOut' | 'closed' | 'over' | 'signInFirst';

export interface ButtonView {
  readonly word: ButtonWord;
  readonly isEnabled: boolean;
}

export function buttonView(situation: Situation): ButtonView {
  const { sale, nowMs, isSignedIn, isInFlight, isSoldOut, notBeforeMs } = situation;
  if (isInFlight) return grey('buying');
  if (isSoldOut) return grey('soldOut');
  if (sale.state === 'closed' || sale.state === 'settled') return grey('closed');
  if (nowMs >= sale.endsAtMs) return grey('over');
  if (nowMs < sale.startsAtMs) return grey('notYet');
  if (!isSignedIn) return grey('signInFirst');
  return { word: 'buy', isEnabled: nowMs >= notBeforeMs };
}

function grey(word: ButtonWord): ButtonView {
  return { word, isEnabled: false };
}
