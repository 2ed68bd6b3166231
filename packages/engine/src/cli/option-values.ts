/** What the values of options mean. What means nothing is a usage error that says what would have meant something. */
import { SALE_ID_PATTERN } from '@sluice/contract/codes';
import { InvalidArgumentError, Option } from 'commander';

export function wholeNumber(minimum: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || !Number.isSafeInteger(value) || value < minimum) {
      throw new InvalidArgumentError(`It is a whole number, at least ${minimum}.`);
    }
    return value;
  };
}

export function share(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !(value >= 0 && value <= 1)) throw new InvalidArgumentError('It is a share, from 0 to 1.');
  return value;
}

const UNITS_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `90s`, `15m`, `2h`, `30d`, in milliseconds. */
export function duration(text: string): number {
  const [, amount, unit = ''] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  const unitMs = UNITS_MS[unit];
  if (amount === undefined || unitMs === undefined) {
    throw new InvalidArgumentError('It is a duration such as 90s, 15m, 2h or 30d.');
  }
  return Number(amount) * unitMs;
}

/** A number of seconds, bare, or as a duration; in milliseconds. */
export function seconds(text: string): number {
  return /^\d{1,6}(\.\d{1,3})?$/.test(text) ? Number(text) * 1_000 : duration(text);
}

/** Its help tells the default as people write it. */
export function durationOption(flag: string, description: string, fallback: string): Option {
  return new Option(`${flag} <duration>`, description).argParser(duration).default(duration(fallback), fallback);
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?(Z|[+-]\d\d:\d\d)?$/;

/**
 * `now` and `+10m`, as milliseconds since 1970; `2026-11-11T10:00:00+08:00`, and `2026-11-11T10:00` of the sale's zone, as
 * they are: the server reads them, for the zone of this machine must not matter.
 */
export function moment(text: string): number | string {
  if (text === 'now') return Date.now();
  if (text.startsWith('+')) return Date.now() + duration(text.slice(1));
  if (TIME.test(text) && !Number.isNaN(Date.parse(text))) return text;
  throw new InvalidArgumentError(
    'It is `now`, `+10m`, a time of --time-zone such as 2026-11-11T10:00, or one with its offset, such as 2026-11-11T10:00:00+08:00.',
  );
}

/** `4900 CNY` or `60 points`. */
export function price(text: string): { amount: number; currency: string } | { points: number } {
  const [, figure = '', unit = ''] = /^(\d{1,16}) ?(points|[A-Z]{3})$/.exec(text) ?? [];
  const value = Number(figure);
  if (unit === '' || !Number.isSafeInteger(value) || value < 1) {
    throw new InvalidArgumentError("It is an amount in the currency's smallest unit, `4900 CNY`, or `60 points`.");
  }
  return unit === 'points' ? { points: value } : { amount: value, currency: unit };
}

export interface ItemValue {
  readonly itemId: string;
  readonly quantity: number;
}

/** `sword` or `potion:5`; given again, one more. */
export function item(text: string, before: readonly ItemValue[] = []): readonly ItemValue[] {
  const [, itemId = '', figure = '1'] = /^(.+?)(?::(\d{1,15}))?$/.exec(text) ?? [];
  const quantity = Number(figure);
  if (itemId === '' || quantity < 1)
    throw new InvalidArgumentError('It is an item, or an item and how many: potion:5.');
  return [...before, { itemId, quantity }];
}

const SALE_ID = new RegExp(SALE_ID_PATTERN);

export function saleId(text: string): string {
  if (!SALE_ID.test(text)) {
    throw new InvalidArgumentError('It is small letters, digits and dashes, at most 64, and begins with no dash.');
  }
  return text;
}

export function httpUrl(text: string): string {
  const protocol = URL.canParse(text) ? new URL(text).protocol : '';
  if (protocol !== 'http:' && protocol !== 'https:') {
    throw new InvalidArgumentError('It is an address such as http://127.0.0.1:8460.');
  }
  return text;
}
