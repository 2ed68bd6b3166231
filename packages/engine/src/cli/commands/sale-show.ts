/** `sluice sale show`: a sale, and where each of its units is. */
import type { AdminSaleAnswer, PlacesAnswer } from '@sluice/contract';
import { PLACES, type PlaceName } from '@sluice/contract/codes';
import type { Command } from 'commander';
import { routes } from '../../bench/routes.ts';
import { callAdmin, type DeploymentOptions, findDeployment, withDeploymentOptions } from '../deployment.ts';
import { itemsText, limitText, priceText, printJson, printTable, printTitle, type Row } from '../print.ts';
import { NO_PRICE } from './sale-create.ts';

const MEANINGS: Readonly<Record<PlaceName, string>> = {
  free: 'at the centre',
  available: 'at the gate, to be bought',
  claimed: 'taken, on their way into the ledger',
  inTransit: 'between centre and gate',
  held: 'in unpaid orders',
  sold: 'in paid orders',
  quarantined: 'waiting for a person to decide',
};

export function addSaleShow(sale: Command): void {
  const command = sale
    .command('show <id>')
    .description('show a sale, and where each of its units is')
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExample:\n  $ sluice sale show starter-skin\n');
  withDeploymentOptions(command).action(showSale);
}

async function showSale(id: string, options: DeploymentOptions & { readonly json?: true }): Promise<void> {
  const deployment = findDeployment(options);
  const sale = (await callAdmin(deployment, { method: 'GET', path: routes.adminSale(id) })) as AdminSaleAnswer;
  const places = (await callAdmin(deployment, { method: 'GET', path: routes.places(id) })) as PlacesAnswer;
  if (options.json) {
    printJson({ ...sale, places });
    return;
  }
  printTitle(`${sale.id}  ${sale.title}`);
  printTable([
    ['state', sale.state],
    ['phase', sale.phase],
    ['kind', sale.kind],
    ['each', itemsText(sale.items)],
    ['price', sale.price ? priceText(sale.price) : NO_PRICE[sale.kind]],
    ['starts', sale.startsAt, sale.timeZone],
    ['ends', sale.endsAt],
    ['limit', sale.limitUnits, limitText(sale)],
    ['segments', sale.segments],
  ]);
  console.log();
  printTable([
    ...PLACES.map((place): Row => [place, places[place], MEANINGS[place]]),
    ['total', places.total, verdictOn(places)],
  ]);
}

function verdictOn({ balanced, still }: PlacesAnswer): string {
  if (!still) return 'units moved while this was read';
  return balanced ? 'balanced' : 'NOT BALANCED';
}
