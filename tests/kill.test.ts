import { expect, test } from 'vitest';
import { createDice, type Dice } from '../packages/engine/src/bench/dice.ts';
import type { RushReport } from '../packages/engine/src/bench/rush.ts';
import { readKeys } from '../packages/engine/src/compose/deployment-files.ts';
import { launchDeployment, newDataDir, runSluice, rushAt, startSluice } from './sluice-process.ts';

const KILLS = 10;
const LONGEST_LIFE_MS = 800;
const TEST_TIMEOUT_MS = 150_000;

const seed = Number(process.env.TEST_SEED ?? Date.now() % 1_000_000);

/** Kills whatever runs there, some time after it has opened or while it is opening, and starts it again, `KILLS` times. */
async function killAgainAndAgain(first: Awaited<ReturnType<typeof startSluice>>, dice: Dice) {
  const { dataDir, port } = first;
  let running: Pick<typeof first, 'end'> = first;
  for (let kills = 0; kills < KILLS; kills++) {
    await new Promise((resolve) => setTimeout(resolve, dice.roll() * LONGEST_LIFE_MS));
    await running.end('SIGKILL');
    const next = launchDeployment({ dataDir, port });
    if (dice.chance(0.7)) await next.opened;
    running = next;
  }
  await running.end('SIGKILL');
  return startSluice({ dataDir, port });
}

test(
  `a process that is killed ${KILLS} times in a rush loses nothing that was answered (seed ${seed})`,
  async () => {
    const first = await startSluice({ dataDir: newDataDir() });
    let isKilling = true;
    const killing = killAgainAndAgain(first, createDice(seed)).finally(() => {
      isKilling = false;
    });

    const reports: RushReport[] = [];
    let last = first;
    try {
      for (let round = 0; isKilling; round++) {
        const sale = { kind: 'fresh', stock: 150, limit: 2 } as const;
        reports.push(await rushAt(first, { sale, buyers: 400, connections: 30, overMs: 1_500, seed: seed + round }));
      }
    } finally {
      last = await killing;
    }

    expect(reports.flatMap(({ violations }) => violations)).toEqual([]);
    expect(reports.reduce((sum, { repeated }) => sum + repeated, 0)).toBeGreaterThan(0);
    for (const { sale, units } of reports) {
      // Every unit was sold, nothing has changed since, and nothing is left on its way.
      expect(units).toBe(150);
      expect(await placesOf(last, sale)).toMatchObject({ held: 150, available: 0, total: 150, balanced: true });
    }
  },
  TEST_TIMEOUT_MS,
);

test(
  'a second process on the same data directory is refused while the first runs, and no longer',
  async () => {
    const dataDir = newDataDir();
    const first = await startSluice({ dataDir });
    const second = await runSluice(['start', '--data-dir', dataDir, '--port', '0']);
    expect(second).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^sluice: The data directory .* is held by process \d+\. .*\n$/),
    });
    await first.end('SIGKILL');
    const nobody = await runSluice(['sale', 'show', 'starter-skin', '--data-dir', dataDir]);
    expect(nobody).toMatchObject({ code: 1, stderr: expect.stringMatching(/^sluice: Nothing answers at http.*\n$/) });

    const third = await startSluice({ dataDir });
    await third.end('SIGTERM');
  },
  TEST_TIMEOUT_MS,
);

async function placesOf(
  { url, dataDir }: { readonly url: string; readonly dataDir: string },
  sale: string,
): Promise<unknown> {
  const authorization = `Bearer ${readKeys(dataDir).adminKey}`;
  const response = await fetch(`${url}/v1/admin/sales/${sale}/places`, { headers: { authorization } });
  return response.json();
}
