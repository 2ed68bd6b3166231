/** `sluice sale create`: a sale with its stock, published unless it is to stay a draft. */
import type { AdminSaleAnswer, CreateSaleRequest } from '@sluice/contract';
import type { Command } from 'commander';
import { routes } from '../../bench/routes.ts';
import { callAdmin, type DeploymentOptions, findDeployment, withDeploymentOptions } from '../deployment.ts';
import { durationOption, instant, saleId, wholeNumber } from '../option-values.ts';
import { instantText, printJson, printTable, printTitle } from '../print.ts';

interface SaleCreateOptions extends DeploymentOptions {
  readonly units: number;
  readonly title?: string;
  readonly limit: number;
  readonly starts?: number;
  readonly ends?: number;
  readonly lasts: number;
  readonly hold: number;
  readonly draft?: true;
  readonly json?: true;
}

const EXAMPLES = `
Examples:
  $ sluice sale create spring-skins --units 5000 --starts +10m --lasts 2h
  $ sluice sale create gift-pack --units 100 --limit 2 --starts 2026-11-11T10:00:00+08:00 --draft
`;

export function addSaleCreate(sale: Command): void {
  const command = sale
    .command('create')
    .description('create a sale and publish it')
    .argument('<id>', 'yours: small letters, digits and dashes', saleId)
    .requiredOption('--units <number>', 'all units of the sale', wholeNumber(0))
    .option('--title <text>', 'what is sold, for people (default: the id)')
    .option('--limit <units>', 'units that one buyer may have', wholeNumber(1), 1)
    .option('--starts <when>', 'now, +10m, or an instant with its zone (default: now)', instant)
    .option('--ends <when>', 'likewise (default: --lasts after the start)', instant)
    .addOption(durationOption('--lasts', 'instead of --ends: 90s, 15m, 2h, 30d', '1d'))
    .addOption(durationOption('--hold', 'how long an unpaid order holds its units', '15m'))
    .option('--draft', 'do not publish it yet')
    .option('--json', 'print one JSON document')
    .addHelpText('after', EXAMPLES);
  withDeploymentOptions(command).action(createSale);
}

async function createSale(id: string, options: SaleCreateOptions): Promise<void> {
  const deployment = findDeployment(options);
  const startsAtMs = options.starts ?? Date.now();
  const body: CreateSaleRequest = {
    ...{ id, title: options.title ?? id, totalUnits: options.units, limitUnits: options.limit },
    ...{ startsAtMs, endsAtMs: options.ends ?? startsAtMs + options.lasts, holdMs: options.hold },
  };
  let answer = await callAdmin(deployment, { method: 'POST', path: routes.adminSales(), body });
  if (!options.draft) answer = await callAdmin(deployment, { method: 'POST', path: routes.operate(id, 'publish') });
  const created = answer as AdminSaleAnswer;
  if (options.json) {
    printJson(created);
    return;
  }
  printTitle(`${id} is ${created.state}`);
  printTable([
    ['units', created.totalUnits],
    ['limit', created.limitUnits, 'units for each buyer'],
    ['starts', instantText(created.startsAtMs)],
    ['ends', instantText(created.endsAtMs)],
  ]);
}
