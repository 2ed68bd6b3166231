/**
 * The operator of a world: stock that comes and is withdrawn while buyers race for it, and a sale that is closed in the middle
 * of everything. It asks until it is answered, each delivery under its own id.
 */
import { SALE_ID } from './buyers.ts';
import type { EngineUnderTest } from './engine-under-test.ts';
import type { Errand, Operations } from './plan.ts';
import type { Site } from './site.ts';
import type { World } from './world.ts';

export interface Office {
  readonly world: World;
  readonly site: Site;
}

/** The errands that are not done yet. */
export function sendOperator(office: Office, { errands, closesMs }: Operations): ReadonlySet<string> {
  const left = new Set<string>();
  const { world } = office;
  const send = (name: string, atMs: number, run: () => Promise<void>) => {
    left.add(name);
    world.after(atMs, () => void run().then(() => left.delete(name)));
  };
  for (const [at, errand] of errands.entries()) send(`errand ${at}`, errand.atMs, () => runErrand(office, at, errand));
  if (closesMs !== null) send('close', closesMs, () => close(office));
  return left;
}

async function runErrand(office: Office, at: number, { units }: Errand): Promise<void> {
  const delivery = `delivery-${at}`;
  await askUntil(office, `to change the stock by ${units}`, async (engine) => {
    if (units > 0) return (await engine.receiveStock(SALE_ID, { id: delivery, units })).kind;
    const result = await engine.withdrawStock({ saleId: SALE_ID, delivery, units: -units });
    office.world.sometimes(`told-${result.kind}`);
    return result.kind;
  });
}

/** And is in a hurry to have it settled: mostly too early. */
async function close(office: Office): Promise<void> {
  await askUntil(office, 'to close the sale', async (engine) => (await engine.operateSale(SALE_ID, 'close')).kind);
  for (let tries = 0; tries < HASTY_TRIES; tries++) {
    await settle(office);
    await office.world.sleep(800);
  }
}

const HASTY_TRIES = 3;

/** `absent`: the sale is not created yet. `unfinished`: it goes on, and who asks again hears how it ended. */
async function askUntil(
  { world, site }: Office,
  what: string,
  send: (engine: EngineUnderTest) => Promise<string>,
): Promise<void> {
  for (;;) {
    const reply = await site.ask(what, send);
    const isAnswered = reply.kind === 'answer' && reply.answer !== 'absent' && reply.answer !== 'unfinished';
    if (isAnswered) return;
    await world.sleep(300);
  }
}

/** What was answered last; `none` when nobody did. */
export async function settle({ site }: Office): Promise<string> {
  const reply = await site.ask('to settle the sale', (engine) => engine.settleSale(SALE_ID));
  if (reply.kind === 'none') return 'none';
  const { answer } = reply;
  return answer.kind === 'still_open' ? JSON.stringify(answer.open) : answer.kind;
}
