/** The limits that the settings ask for. */
import type { Settings } from '../config/settings.ts';
import type { Rates } from '../funnel/gateway/request-limits.ts';
import type { Rate } from '../funnel/gateway/token-buckets.ts';

export function ratesOf({ addressRate, accountRate, saleRate, nodeRate }: RateSettings): Rates {
  return {
    address: rateOf(addressRate),
    account: rateOf(accountRate),
    sale: rateOf(saleRate),
    node: rateOf(nodeRate),
  };
}

type RateSettings = Pick<Settings, 'addressRate' | 'accountRate' | 'saleRate' | 'nodeRate'>;

/** The settings' schema has looked at the text. */
function rateOf(text: string): Rate | null {
  const [perSecond = 0, burst = 0] = text.split('/').map(Number);
  return perSecond === 0 ? null : { perSecond, burst };
}
