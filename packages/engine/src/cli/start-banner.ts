/** What a person reads when a deployment has opened: where it is, and how to buy the first unit. */
import { relative } from 'node:path';
import pc from 'picocolors';
import { SAMPLE_POINTS } from '../compose/choose-wallet.ts';
import type { EmbeddedDeployment } from '../compose/start-embedded.ts';
import { instantText, priceText } from './print.ts';

const DEFAULT_DATA_DIR = '.sluice';

const OLDER_KEYS =
  'The ledger is new, but the keys are not. If you have sold here before, stop and bring its ledger back.';

export function printBanner(deployment: EmbeddedDeployment): void {
  const { url, dataDir, database, isPrivate, hasOlderKeys, trustedProxies } = deployment;
  const readers = isPrivate ? 'for this user only' : 'others on this machine may be able to read them';
  const here = relative('', dataDir);
  const dataDirFlag = here === DEFAULT_DATA_DIR ? '' : ` --data-dir ${dataDir}`;
  const lines = [
    pc.bold('Sluice is open.'),
    '',
    row('page', `${url}/`),
    ...saleRows(deployment),
    ...walletRows(deployment),
    ...(database === null ? [] : [row('ledger', database)]),
    row('data', `${dataDir}  (${database === null ? 'ledger and keys' : 'keys'}; ${readers})`),
    ...(hasOlderKeys ? [row('', pc.yellow(OLDER_KEYS))] : []),
    row(
      'stop',
      `Ctrl+C. Or kill it: what was answered as bought is ${database === null ? 'on the disk' : 'in the ledger'}.`,
    ),
    ...(trustedProxies.length > 0 ? [row('trusts', `X-Forwarded-For from ${trustedProxies.join(', ')}`)] : []),
    ...buyingText(deployment, dataDirFlag),
    `A crowd of buyers:  ${pc.cyan(`npx sluice rush --buyers 5000${dataDirFlag}`)}`,
    '',
  ];
  console.log(lines.join('\n'));
}

function row(name: string, text: string): string {
  return `  ${pc.dim(name.padEnd(8))} ${text}`;
}

function saleRows({ sampleSales }: EmbeddedDeployment): readonly string[] {
  if (sampleSales.length === 0) return [row('on sale', 'your own sales')];
  return sampleSales.map(({ id, offer, totalUnits, endsAtMs }, at) =>
    row(at === 0 ? 'on sale' : '', `${id}: ${totalUnits} units, ${costText(offer)}, until ${instantText(endsAtMs)}`),
  );
}

function costText({ kind, price }: EmbeddedDeployment['sampleSales'][number]['offer']): string {
  if (kind === 'gift_pack') return 'free';
  return price === null ? 'for money' : `for ${priceText(price)}`;
}

function walletRows({ wallet }: EmbeddedDeployment): readonly string[] {
  if (wallet !== 'sample') return [];
  const sentence = `a sample one: every buyer has ${SAMPLE_POINTS} points, and has them again after a restart`;
  return [row('wallet', `${sentence}; yours by SLUICE_WALLET_URL`)];
}

/** Three lines that can be pasted. */
function buyingText({ url, sampleSales }: EmbeddedDeployment, dataDirFlag: string): readonly string[] {
  const [sampleSale] = sampleSales;
  if (!sampleSale) return [''];
  const sale = `${url}/v1/sales/${sampleSale.id}`;
  const bearer = '-H "authorization: Bearer $jwt"';
  return [
    '',
    'Buy one:',
    pc.cyan(`  jwt=$(npx sluice dev-token ann${dataDirFlag})`),
    pc.cyan(`  token=$(curl -s -X POST ${sale}/token ${bearer} | sed 's/.*"token":"\\([^"]*\\)".*/\\1/')`),
    pc.cyan(
      `  curl -s ${sale}/purchases ${bearer} -H 'content-type: application/json' -d '{"token":"'$token'","units":1}'`,
    ),
    '',
  ];
}
