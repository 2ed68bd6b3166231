/** What a person reads when a deployment has opened: where it is, and how to buy the first unit. */
import { relative } from 'node:path';
import pc from 'picocolors';
import type { EmbeddedDeployment } from '../compose/start-embedded.ts';
import { instantText } from './print.ts';

const DEFAULT_DATA_DIR = '.sluice';

const OLDER_KEYS =
  'The ledger is new, but the keys are not. If you have sold here before, stop and bring its ledger back.';

export function printBanner(deployment: EmbeddedDeployment): void {
  const { url, dataDir, isPrivate, hasOlderKeys, trustedProxies } = deployment;
  const readers = isPrivate ? 'for this user only' : 'others on this machine may be able to read them';
  const here = relative('', dataDir);
  const dataDirFlag = here === DEFAULT_DATA_DIR ? '' : ` --data-dir ${dataDir}`;
  const lines = [
    pc.bold('Sluice is open.'),
    '',
    row('page', `${url}/`),
    row('on sale', saleText(deployment)),
    row('data', `${dataDir}  (ledger and keys; ${readers})`),
    ...(hasOlderKeys ? [row('', pc.yellow(OLDER_KEYS))] : []),
    row('stop', 'Ctrl+C. Or kill it: what was answered as bought is on the disk.'),
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

function saleText({ sampleSale }: EmbeddedDeployment): string {
  if (!sampleSale) return 'your own sales';
  const { id, totalUnits, limitUnits, endsAtMs } = sampleSale;
  return `${id}: ${totalUnits} units, ${limitUnits} for each buyer, until ${instantText(endsAtMs)}`;
}

/** Three lines that can be pasted. */
function buyingText({ url, sampleSale }: EmbeddedDeployment, dataDirFlag: string): readonly string[] {
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
