/** `sluice sale publish|pause|resume|close|settle`: what an operator does to the state of a sale. */
import type { AdminSaleAnswer } from '@sluice/contract';
import type { Command } from 'commander';
import { routes } from '../../bench/routes.ts';
import { callAdmin, type DeploymentOptions, findDeployment, withDeploymentOptions } from '../deployment.ts';
import { printJson, printTitle } from '../print.ts';

const OPERATIONS = {
  publish: 'open a draft: it is loaded, and sells when its window opens',
  pause: 'stop new claims for now; what was bought goes on',
  resume: 'let a paused sale sell again',
  close: 'stop new claims for good; payments and orders go on, unsold units come back',
  settle: 'end a closed sale: refused, and told why, while anything in it is still open',
} as const;

type Operation = keyof typeof OPERATIONS;

export function addSaleOperations(sale: Command): void {
  for (const [operation, description] of Object.entries(OPERATIONS) as [Operation, string][]) {
    const command = sale
      .command(`${operation} <id>`)
      .description(description)
      .option('--json', 'print one JSON document')
      .addHelpText('after', `\nExample:\n  $ sluice sale ${operation} starter-skin\n`);
    withDeploymentOptions(command).action((id: string, options) => operateSale(id, operation, options));
  }
}

async function operateSale(
  id: string,
  operation: Operation,
  options: DeploymentOptions & { readonly json?: true },
): Promise<void> {
  const deployment = findDeployment(options);
  const path = routes.operate(id, operation);
  const sale = (await callAdmin(deployment, { method: 'POST', path })) as AdminSaleAnswer;
  if (options.json) printJson(sale);
  else printTitle(`${id} is ${sale.state}`);
}
