/** What commands print: results on stdout, everything else on stderr. */
import type { ItemAnswer, PriceAnswer } from '@sluice/contract';
import pc from 'picocolors';

/** The one document of a command that was asked for JSON; on one line, so that a reader knows where it ends. */
export function printJson(document: unknown): void {
  console.log(JSON.stringify(document));
}

export type Row = readonly [name: string, value: string | number, note?: string | undefined];

/** Names to the left, values in one column: numbers flush right, texts flush left. */
export function printTable(rows: readonly Row[]): void {
  const nameWidth = Math.max(...rows.map(([name]) => name.length));
  const numberWidth = Math.max(0, ...rows.map(([, value]) => (typeof value === 'number' ? String(value).length : 0)));
  for (const [name, value, note] of rows) {
    const cell = typeof value === 'number' ? String(value).padStart(numberWidth) : value;
    console.log(`  ${pc.dim(name.padEnd(nameWidth))}  ${cell}${note === undefined ? '' : `  ${pc.dim(note)}`}`);
  }
}

export function printTitle(title: string): void {
  console.log(pc.bold(title));
}

/** An instant as people write it, in their own zone and for the whole world. */
export function instantText(epochMs: number): string {
  return new Date(epochMs).toISOString().replace('.000Z', 'Z');
}

/** `4900 CNY`, in the currency's smallest unit, or `60 points`; as --price takes it. */
export function priceText({ amount, currency, points }: PriceAnswer): string {
  return points === undefined ? `${amount} ${currency}` : `${points} points`;
}

/** `5 potion, 1 sword` */
/** Behind the number: whom it holds for, and over what. */
export function limitText({ limitGroup }: { readonly limitGroup: string | null }): string {
  return limitGroup === null ? 'for each buyer' : `for each buyer, over all sales of ${limitGroup}`;
}

export function itemsText(items: readonly ItemAnswer[]): string {
  return items.map(({ itemId, quantity }) => `${quantity} ${itemId}`).join(', ');
}
