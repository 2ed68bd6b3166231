/** `sluice order show`: an order, its payments, and what happened to it. */
import type { AdminOrderAnswer, AdminOrderDetails } from '@sluice/contract';
import type { Command } from 'commander';
import { routes } from '../../bench/routes.ts';
import { callAdmin, type DeploymentOptions, findDeployment, withDeploymentOptions } from '../deployment.ts';
import { instantText, itemsText, priceText, printJson, printTable, printTitle, type Row } from '../print.ts';
import { PAYMENT_MEANINGS } from './order-pay.ts';

const EXAMPLES = `
Whoever bought, and whatever came of it. The history is what the ledger wrote in the very transactions in which it happened.

Example:
  $ sluice order show q0Hk3vZ2T6mJ8sXw
`;

export function addOrderShow(order: Command): void {
  const command = order
    .command('show <id>')
    .description('show an order, its payments, and what happened to it')
    .option('--json', 'print one JSON document')
    .addHelpText('after', EXAMPLES);
  withDeploymentOptions(command).action(showOrder);
}

async function showOrder(id: string, options: DeploymentOptions & { readonly json?: true }): Promise<void> {
  const call = { method: 'GET', path: routes.adminOrder(id) } as const;
  const order = (await callAdmin(findDeployment(options), call)) as AdminOrderDetails;
  if (options.json) {
    printJson(order);
    return;
  }
  printOrder(order);
  if (order.payments.length > 0) {
    console.log();
    printTable(order.payments.map(paymentRow));
  }
  console.log();
  printTable(order.history.map(({ atMs, type, status }): Row => [instantText(atMs), type, `now ${status}`]));
}

function paymentRow({ reference, outcome, amount, state }: AdminOrderDetails['payments'][number]): Row {
  const ofAmount = amount === null ? '' : ` ${amount}`;
  return [reference, `${outcome}${ofAmount}`, PAYMENT_MEANINGS[state]];
}

export function printOrder(order: AdminOrderAnswer): void {
  printTitle(`order ${order.orderId} is ${order.status}`);
  printTable([
    ['buyer', order.buyer],
    ['sale', order.saleId],
    ['units', order.units, itemsText(order.items)],
    ...(order.cost === null ? [] : [['costs', priceText(order.cost)] as const]),
    ['settled', instantText(order.settledAtMs)],
    ...(order.dueAtMs === null ? [] : [['due', instantText(order.dueAtMs), 'unless it is paid'] as const]),
    ...(order.refusal === null ? [] : [['refused', order.refusal] as const]),
  ]);
}
