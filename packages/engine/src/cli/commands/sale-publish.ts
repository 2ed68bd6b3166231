/** `sluice sale publish`: a draft goes live. */
import type { AdminSaleAnswer } from '@sluice/contract';
import type { Command } from 'commander';
import { routes } from '../../bench/routes.ts';
import { callAdmin, type DeploymentOptions, findDeployment, withDeploymentOptions } from '../deployment.ts';
import { instantText, printJson, printTable, printTitle } from '../print.ts';

const EXAMPLES = `
Its units go to the gate, and buyers see it; they can buy when its window begins. A draft is made by \`sale create --draft\`.

Example:
  $ sluice sale publish gift-pack
`;

export function addSalePublish(sale: Command): void {
  const command = sale
    .command('publish <id>')
    .description('publish a draft')
    .option('--json', 'print one JSON document')
    .addHelpText('after', EXAMPLES);
  withDeploymentOptions(command).action(publishSale);
}

async function publishSale(id: string, options: DeploymentOptions & { readonly json?: true }): Promise<void> {
  const call = { method: 'POST', path: routes.publish(id) } as const;
  const sale = (await callAdmin(findDeployment(options), call)) as AdminSaleAnswer;
  if (options.json) {
    printJson(sale);
    return;
  }
  printTitle(`${id} is ${sale.state}`);
  printTable([
    ['phase', sale.phase],
    ['starts', instantText(sale.startsAtMs)],
    ['ends', instantText(sale.endsAtMs)],
  ]);
}
