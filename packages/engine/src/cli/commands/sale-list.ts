/** `sluice sale list`: every sale there is, drafts too. */
import type { AdminSaleListAnswer } from '@sluice/contract';
import type { Command } from 'commander';
import { routes } from '../../bench/routes.ts';
import { callAdmin, type DeploymentOptions, findDeployment, withDeploymentOptions } from '../deployment.ts';
import { instantText, printJson, printTable, type Row } from '../print.ts';

export function addSaleList(sale: Command): void {
  const command = sale
    .command('list')
    .description('list every sale, drafts too')
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExample:\n  $ sluice sale list\n');
  withDeploymentOptions(command).action(listSales);
}

async function listSales(options: DeploymentOptions & { readonly json?: true }): Promise<void> {
  const call = { method: 'GET', path: routes.adminSales() } as const;
  const list = (await callAdmin(findDeployment(options), call)) as AdminSaleListAnswer;
  if (options.json) {
    printJson(list);
    return;
  }
  if (list.sales.length === 0) console.log('There is no sale; `sluice sale create` makes one.');
  else printTable(list.sales.map(rowOf));
}

type ListedSale = AdminSaleListAnswer['sales'][number];

function rowOf({ id, state, phase, kind, totalUnits, startsAtMs, title, limitGroup }: ListedSale): Row {
  const phaseText = state === 'live' ? `, ${phase}` : '';
  const groupText = limitGroup === null ? '' : `  (${limitGroup})`;
  const stock = `${totalUnits} units from ${instantText(startsAtMs)}`;
  return [id, `${state}${phaseText}`, `${kind.replace('_', ' ')}, ${stock}  ${title}${groupText}`];
}
