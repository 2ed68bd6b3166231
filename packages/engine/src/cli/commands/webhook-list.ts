/** `sluice webhook list`: endpoints, and what waits for each. */
import type { WebhookListAnswer } from '@sluice/contract';
import { EVENT_TYPES } from '@sluice/contract/codes';
import type { Command } from 'commander';
import { routes } from '../../bench/routes.ts';
import { callAdmin, type DeploymentOptions, findDeployment, withDeploymentOptions } from '../deployment.ts';
import { printJson, printTable, type Row } from '../print.ts';

export function addWebhookList(webhook: Command): void {
  const command = webhook
    .command('list')
    .description('list endpoints, and what waits for each')
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExample:\n  $ sluice webhook list\n');
  withDeploymentOptions(command).action(listWebhooks);
}

async function listWebhooks(options: DeploymentOptions & { readonly json?: true }): Promise<void> {
  const call = { method: 'GET', path: routes.webhooks() } as const;
  const list = (await callAdmin(findDeployment(options), call)) as WebhookListAnswer;
  if (options.json) {
    printJson(list);
    return;
  }
  if (list.webhooks.length === 0) console.log('There is no endpoint; `sluice webhook add` makes one.');
  else printTable(list.webhooks.map(rowOf));
}

function rowOf({ id, url, events, waiting, dead }: WebhookListAnswer['webhooks'][number]): Row {
  const which = events.length === EVENT_TYPES.length ? 'every event' : events.join(', ');
  return [id, url, `${which}; ${waiting} waiting, ${dead} dead`];
}
