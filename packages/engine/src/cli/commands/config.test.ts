import { expect, test } from 'vitest';
import { EXIT } from '../command-failed.ts';
import { createProgram } from '../program.ts';

const explain = (name: string) => createProgram('0').parseAsync(['config', 'explain', name], { from: 'user' });

test.each([
  ['DATADIR', 'There is no setting DATADIR. Did you mean dataDir?'],
  ['queue', 'There is no setting queue. Did you mean maxQueueEntries, or maxQueueAgeMs?'],
  ['holdms', 'There is no setting holdms. Each sale has a holdMs of its own: `sluice sale create --help`.'],
  ['weather', 'There is no setting weather. `sluice config print` lists them.'],
])('explaining %s, which is no setting, says what was meant', async (name, message) => {
  await expect(explain(name)).rejects.toMatchObject({ status: EXIT.usage, message });
});
