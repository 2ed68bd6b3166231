/** `sluice sale create`: a sale with its stock, published unless it is to stay a draft. */
import type { AdminSaleAnswer, CreateSaleRequest } from '@sluice/contract';
import { SALE_KINDS, type SaleKind } from '@sluice/contract/codes';
import { type Command, Option } from 'commander';
import { routes } from '../../bench/routes.ts';
import { wrongUsage } from '../command-failed.ts';
import { callAdmin, type DeploymentOptions, findDeployment, withDeploymentOptions } from '../deployment.ts';
import { durationOption, type ItemValue, item, moment, price, saleId, wholeNumber } from '../option-values.ts';
import { itemsText, limitText, priceText, printJson, printTable, printTitle } from '../print.ts';

interface SaleCreateOptions extends DeploymentOptions {
  readonly units: number;
  readonly title?: string;
  readonly limit: number;
  readonly limitGroup?: string;
  readonly kind: SaleKind;
  readonly item?: readonly ItemValue[];
  readonly price?: { amount: number; currency: string } | { points: number };
  readonly starts?: number | string;
  readonly ends?: number | string;
  readonly timeZone?: string;
  readonly lasts: number;
  readonly hold: number;
  readonly segments?: number;
  readonly draft?: true;
  readonly json?: true;
}

export const NO_PRICE: Readonly<Record<SaleKind, string>> = {
  limited_skin: 'what your back end asks',
  gift_pack: 'none',
  exchange: 'none',
};

const EXAMPLES = `
Examples:
  $ sluice sale create spring-skins --units 5000 --starts +10m --lasts 2h
  $ sluice sale create dragon-skin --units 500 --price "4900 CNY"
  $ sluice sale create tiger-skin --units 500 --limit-group new-year-skins
  $ sluice sale create gift-pack --units 100 --kind gift_pack --item sword --item potion:5
  $ sluice sale create star-mount --units 100 --kind exchange --price "60 points"
  $ sluice sale create opening --units 100 --time-zone Asia/Shanghai --starts 2026-11-11T10:00 --ends 2026-11-11T12:00 --draft
`;

export function addSaleCreate(sale: Command): void {
  const command = sale
    .command('create')
    .description('create a sale and publish it')
    .argument('<id>', 'yours: small letters, digits and dashes', saleId)
    .requiredOption('--units <number>', 'all units of the sale', wholeNumber(0))
    .option('--title <text>', 'what is sold, for people (default: the id)')
    .option('--limit <units>', 'units that one buyer may have', wholeNumber(1), 1)
    .option(
      '--limit-group <name>',
      'share the limit with all sales that name this group; all have its limit and segments',
      saleId,
    )
    .addOption(
      new Option('--kind <kind>', 'for money, for nothing, or for points').choices(SALE_KINDS).default('limited_skin'),
    )
    .option('--item <id[:quantity]>', 'what a unit delivers; again for each (default: the id of the sale)', item)
    .option('--price <price>', 'of a unit: "4900 CNY", or "60 points" of an exchange', price)
    .option('--starts <when>', 'now, +10m, a time of --time-zone, or one with its offset (default: now)', moment)
    .option('--ends <when>', 'likewise (default: --lasts after the start)', moment)
    .option('--time-zone <name>', 'whose clocks the window is meant by (default: UTC)')
    .addOption(durationOption('--lasts', 'instead of --ends: 90s, 15m, 2h, 30d', '1d'))
    .addOption(durationOption('--hold', 'how long an unpaid order holds its units', '15m'))
    .option(
      '--segments <number>',
      'parts of buyers and stock, 1 to 64; the same in a limit group (default: by units and gate)',
      wholeNumber(1),
    )
    .option('--draft', 'do not publish it yet')
    .option('--json', 'print one JSON document')
    .addHelpText('after', EXAMPLES);
  withDeploymentOptions(command).action(createSale);
}

async function createSale(id: string, options: SaleCreateOptions): Promise<void> {
  const deployment = findDeployment(options);
  const body = requestFor(id, options);
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
    ['limit', created.limitUnits, limitText(created)],
    ...(created.segments > 1 ? [['segments', created.segments] as const] : []),
    ['each', itemsText(created.items)],
    ['price', created.price ? priceText(created.price) : NO_PRICE[created.kind]],
    ['starts', created.startsAt, created.timeZone],
    ['ends', created.endsAt],
  ]);
}

function requestFor(id: string, options: SaleCreateOptions): CreateSaleRequest {
  const { units, limit, limitGroup, hold, kind, item: items, price: asked, timeZone, lasts, segments } = options;
  const { starts = Date.now(), ends } = options;
  const end = ends ?? laterThan(starts, lasts);
  const endMs = typeof end === 'string' && hasOffset(end) ? Date.parse(end) : end;
  if (typeof endMs === 'number' && endMs <= Date.now()) {
    throw wrongUsage(`It would end at ${new Date(endMs).toISOString()}, which is past; say --ends or --lasts.`);
  }
  return {
    ...{ id, title: options.title ?? id, totalUnits: units, limitUnits: limit, holdMs: hold, kind },
    ...(limitGroup !== undefined && { limitGroup }),
    ...(items && { items: [...items] }),
    ...(asked && { price: asked }),
    ...(timeZone !== undefined && { timeZone }),
    ...(segments !== undefined && { segments }),
    ...(typeof starts === 'number' ? { startsAtMs: starts } : { startsAt: starts }),
    ...(typeof end === 'number' ? { endsAtMs: end } : { endsAt: end }),
  };
}

/** So much later, written as the start was: what a local time means is the deployment's to judge. */
function laterThan(start: number | string, lasts: number): number | string {
  if (typeof start === 'number') return start + lasts;
  if (hasOffset(start)) return Date.parse(start) + lasts;
  return new Date(Date.parse(`${start}Z`) + lasts).toISOString().replace(/\.\d+Z$/, '');
}

/** Only such a text is the same instant on every machine. */
function hasOffset(text: string): boolean {
  return /(Z|[+-]\d\d:\d\d)$/.test(text);
}
