/** `sluice webhook add`: an endpoint that is told of events, and its secret. */
import type { AddWebhookRequest, WebhookAddedAnswer } from '@sluice/contract';
import { EVENT_TYPES, type EventType } from '@sluice/contract/codes';
import { type Command, InvalidArgumentError } from 'commander';
import { routes } from '../../bench/routes.ts';
import { callAdmin, type DeploymentOptions, findDeployment, withDeploymentOptions } from '../deployment.ts';
import { httpUrl } from '../option-values.ts';
import { printJson, printTable, printTitle } from '../print.ts';

interface WebhookAddOptions extends DeploymentOptions {
  readonly to: string;
  readonly event?: readonly EventType[];
  readonly json?: true;
}

const EXAMPLES = `
What is sent is signed by Standard Webhooks (standardwebhooks.com): give the secret to the receiver. It is not shown again; a lost one
is replaced with \`sluice webhook rotate\`. Only public https addresses are taken, unless the deployment was started with
SLUICE_WEBHOOK_NETWORKS=any.

Events: ${EVENT_TYPES.join(', ')}

Examples:
  $ sluice webhook add game-mail --to https://mail.game.example/sluice --event order.paid
  $ sluice webhook add audit --to https://audit.game.example/hook
`;

export function addWebhookAdd(webhook: Command): void {
  const command = webhook
    .command('add <id>')
    .description('tell an endpoint of events from now on')
    .requiredOption('--to <url>', 'where they are sent', httpUrl)
    .option('--event <type>', 'which; again for each (default: all of them)', eventType)
    .option('--json', 'print one JSON document')
    .addHelpText('after', EXAMPLES);
  withDeploymentOptions(command).action(addWebhook);
}

function eventType(text: string, before: readonly EventType[] = []): readonly EventType[] {
  const found = EVENT_TYPES.find((type) => type === text);
  if (!found) throw new InvalidArgumentError(`It is one of ${EVENT_TYPES.join(', ')}.`);
  return [...new Set([...before, found])];
}

async function addWebhook(id: string, options: WebhookAddOptions): Promise<void> {
  const { to, event, json } = options;
  const body: AddWebhookRequest = { id, url: to, ...(event && { events: [...event] }) };
  const call = { method: 'POST', path: routes.webhooks(), body } as const;
  const added = (await callAdmin(findDeployment(options), call)) as WebhookAddedAnswer;
  if (json) {
    printJson(added);
    return;
  }
  printTitle(`${id} is told of ${event ? event.join(', ') : 'every event'}`);
  printTable([
    ['url', added.url],
    ['secret', added.secret, 'keep it: it is not shown again'],
  ]);
}
