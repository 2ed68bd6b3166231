/** `sluice sale stock`: more units for a sale that is selling. */
import type { Command } from 'commander';
import { routes } from '../../bench/routes.ts';
import { callAdmin, type DeploymentOptions, findDeployment, withDeploymentOptions } from '../deployment.ts';
import { wholeNumber } from '../option-values.ts';
import { printJson, printTitle } from '../print.ts';

interface SaleStockOptions extends DeploymentOptions {
  readonly add: number;
  readonly delivery: string;
  readonly json?: true;
}

interface StockAnswer {
  readonly repeated: boolean;
  readonly totalUnits: number;
}

export function addSaleStock(sale: Command): void {
  const command = sale
    .command('stock <id>')
    .description('add units to a sale; the same delivery id again adds nothing')
    .requiredOption('--add <units>', 'units that arrive', wholeNumber(1))
    .requiredOption('--delivery <id>', 'your id for this delivery, so that repeating the command is harmless')
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExample:\n  $ sluice sale stock starter-skin --add 50 --delivery truck-7\n');
  withDeploymentOptions(command).action(receiveStock);
}

async function receiveStock(id: string, { add, delivery, json, ...options }: SaleStockOptions): Promise<void> {
  const deployment = findDeployment(options);
  const body = { id: delivery, delta: add };
  const answer = (await callAdmin(deployment, { method: 'POST', path: routes.stock(id), body })) as StockAnswer;
  if (json) {
    printJson(answer);
    return;
  }
  const what = answer.repeated ? `delivery ${delivery} had arrived before` : `${add} units added`;
  printTitle(`${id}: ${what}; ${answer.totalUnits} in all`);
}
