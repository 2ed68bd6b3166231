/** `sluice queue dead`: what the queue could not bring into the ledger, and why. */
import type { QuarantinePageAnswer } from '@sluice/contract';
import type { Command } from 'commander';
import { routes } from '../../bench/routes.ts';
import { callAdmin, type DeploymentOptions, findDeployment, withDeploymentOptions } from '../deployment.ts';
import { printJson, printTable } from '../print.ts';

interface DeadOptions extends DeploymentOptions {
  readonly after?: string;
  readonly json?: true;
}

const EXAMPLES = `
A claim stands here when the ledger refuses it alone; its units are quarantined. An entry stands here when nobody can read it; it
holds no units, and the claim that it was, if it was one, has come back from the gate by itself.

Examples:
  $ sluice queue dead
  $ sluice queue dead --json
`;

export function addQueueDead(queue: Command): void {
  const command = queue
    .command('dead')
    .description('list what was set aside, and why')
    .option('--after <id>', 'begin behind this one')
    .option('--json', 'print one JSON document')
    .addHelpText('after', EXAMPLES);
  withDeploymentOptions(command).action(listDead);
}

async function listDead(options: DeadOptions): Promise<void> {
  const page = (await callAdmin(findDeployment(options), {
    ...{ method: 'GET', path: routes.quarantine(options.after) },
  })) as QuarantinePageAnswer;
  if (options.json) {
    printJson(page);
    return;
  }
  if (page.quarantine.length === 0) console.log('Nothing was set aside.');
  else {
    printTable(
      page.quarantine.map(({ id, saleId, units, reason, buyer, text }) => [
        ...([id, `${saleId}: ${units} units${buyer === null ? '' : ` of ${buyer}`}`, text ?? reason] as const),
      ]),
    );
  }
  if (page.next !== null) console.log(`There are more: --after '${page.next}'`);
}
