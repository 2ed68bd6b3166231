/**
 * Balances rebuilt from the journal. Law: for a sale they sum to zero (what came from outside is somewhere), and none but
 * `outside` is ever negative.
 */
import { quotaName } from '../inventory/quota.ts';
import { ACCOUNTS, type Account, type Entry } from './entry.ts';

export type Balance = Readonly<Record<Account, number>>;

export interface Balances {
  readonly sale: Balance;
  /** By quota name: the movements that concern that quota. */
  readonly quotas: ReadonlyMap<string, Balance>;
}

function emptyBalance(): Record<Account, number> {
  return Object.fromEntries(ACCOUNTS.map((account) => [account, 0])) as Record<Account, number>;
}

/** Adds up the entries of one sale. */
export function balancesOf(entries: Iterable<Entry>): Balances {
  const sale = emptyBalance();
  const quotas = new Map<string, Record<Account, number>>();
  for (const entry of entries) {
    const balances = [sale];
    if (entry.quota) {
      const name = quotaName(entry.quota);
      const balance = quotas.get(name) ?? emptyBalance();
      quotas.set(name, balance);
      balances.push(balance);
    }
    for (const balance of balances) {
      balance[entry.from] -= entry.units;
      balance[entry.to] += entry.units;
    }
  }
  return { sale, quotas };
}
