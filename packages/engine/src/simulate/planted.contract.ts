/** How an engine with an error in it is put to the auditors, and what errors are made of. */
import { expect, it } from 'vitest';
import { buildEngine } from '../compose/build-engine.ts';
import type { Clock } from '../ports/clock.ts';
import type { Stores } from './gate-server.ts';
import { runSeeds, runSimulation, type ScenarioName } from './index.ts';

const barrier = () =>
  new Promise<void>((resolve) => {
    setImmediate(resolve);
  });

export type Parts = Parameters<typeof buildEngine>[0];

export interface Planted {
  readonly rule: string;
  readonly scenario: ScenarioName;
  readonly withinSeeds: number;
  /** The worlds before seldom come so far: to search them is most of the time. 1 when not given. */
  readonly fromSeed?: number;
  readonly broken: readonly string[];
  readonly plant?: (stores: Stores, clock: Clock) => Stores;
  readonly parts?: (parts: Parts) => Parts;
  readonly engine?: (engine: ReturnType<typeof buildEngine>) => ReturnType<typeof buildEngine>;
}

export const withGate = (change: (gate: Stores['gate']) => Partial<Stores['gate']>) => (stores: Stores) => ({
  ...stores,
  gate: { ...stores.gate, ...change(stores.gate) },
});

type Centre = Stores['ledger']['inventoryCentre'];
export const withCentre = (change: (centre: Centre) => Partial<Centre>) => (stores: Stores) => {
  const { ledger } = stores;
  const inventoryCentre = { ...ledger.inventoryCentre, ...change(ledger.inventoryCentre) };
  return { ...stores, ledger: { ...ledger, inventoryCentre } };
};

export const withSettle =
  (change: (stores: Stores) => Stores['ledger']['settlement']['settle']) => (stores: Stores) => {
    const settlement = { ...stores.ledger.settlement, settle: change(stores) };
    return { ...stores, ledger: { ...stores.ledger, settlement } };
  };

type Orders = Stores['ledger']['orders'];
export const withOrders = (change: (orders: Orders, stores: Stores) => Partial<Orders>) => (stores: Stores) => {
  const orders = { ...stores.ledger.orders, ...change(stores.ledger.orders, stores) };
  return { ...stores, ledger: { ...stores.ledger, orders } };
};

/** Each error is found within its seeds, and the engine without it keeps every promise in the very world that found it. */
export function plantedContract(planted: readonly Planted[]): void {
  it.each(planted)('$rule', async ({ scenario, fromSeed = 1, withinSeeds, broken, plant, parts, engine }) => {
    const withError = {
      buildEngine: (plain: Parts) => {
        const built = buildEngine(parts?.(plain) ?? plain);
        return engine?.(built) ?? built;
      },
      ...(plant ? { plant } : {}),
    };
    const { failure, seeds } = await runSeeds({ from: fromSeed, count: withinSeeds, scenario, barrier, ...withError });
    expect(failure, `not found within ${withinSeeds} seeds`).not.toBeNull();
    expect(broken).toContain(failure?.violations[0]?.invariant);
    if (process.env.SHOW_SEEDS) console.log(`found after ${seeds}: ${failure?.violations[0]?.invariant}`);
    const sound = await runSimulation({ seed: failure?.seed ?? 0, scenario, barrier, buildEngine });
    expect(sound.violations).toEqual([]);
  });
}
