/** `sluice sale stock`: more units for a sale that is selling, or fewer. */
import { type Command, Option } from 'commander';
import { routes } from '../../bench/routes.ts';
import { CommandFailed } from '../command-failed.ts';
import { callAdmin, type DeploymentOptions, findDeployment, withDeploymentOptions } from '../deployment.ts';
import { wholeNumber } from '../option-values.ts';
import { printJson, printTitle } from '../print.ts';

interface SaleStockOptions extends DeploymentOptions {
  readonly add?: number;
  readonly withdraw?: number;
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
    .description('add units to a sale, or withdraw unsold ones; the same delivery id again changes nothing')
    .addOption(new Option('--add <units>', 'units that arrive').argParser(wholeNumber(1)).conflicts('withdraw'))
    .option('--withdraw <units>', 'units that leave: all of them, or none when fewer are unsold', wholeNumber(1))
    .requiredOption('--delivery <id>', 'your id for this delivery, so that repeating the command is harmless')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      '\nExample:\n  $ sluice sale stock starter-skin --add 50 --delivery truck-7\n  $ sluice sale stock starter-skin --withdraw 20 --delivery van-3\n',
    );
  withDeploymentOptions(command).action(changeStock);
}

async function changeStock(id: string, options: SaleStockOptions): Promise<void> {
  const { add, withdraw, delivery, json, ...deploymentOptions } = options;
  const delta = add ?? (withdraw === undefined ? 0 : -withdraw);
  if (delta === 0) throw new CommandFailed('Say how many units arrive with --add, or leave with --withdraw.');
  const deployment = findDeployment(deploymentOptions);
  const body = { id: delivery, delta };
  const answer = (await callAdmin(deployment, { method: 'POST', path: routes.stock(id), body })) as StockAnswer;
  if (json) {
    printJson(answer);
    return;
  }
  const done = delta > 0 ? `${delta} units added` : `${-delta} units withdrawn`;
  const what = answer.repeated ? `delivery ${delivery} was told before` : done;
  printTitle(`${id}: ${what}; ${answer.totalUnits} in all`);
}
