/** `sluice webhook test`, `dead` and `replay`: whether deliveries arrive, and what to do with those that did not. */
import type { DeadLetterPageAnswer, ReplayedAnswer, WebhookTestedAnswer } from '@sluice/contract';
import type { Command } from 'commander';
import { routes } from '../../bench/routes.ts';
import { CommandFailed } from '../command-failed.ts';
import { callAdmin, type DeploymentOptions, findDeployment, withDeploymentOptions } from '../deployment.ts';
import { wholeNumber } from '../option-values.ts';
import { instantText, printJson, printTable, printTitle } from '../print.ts';

interface DeadOptions extends DeploymentOptions {
  readonly after?: number;
  readonly json?: true;
}

interface ReplayOptions extends DeploymentOptions {
  readonly delivery?: number;
  readonly json?: true;
}

const DEAD_EXAMPLES = `
A delivery is tried for about a day, later and later. What was given up stays here until it is replayed or its endpoint is removed.

Examples:
  $ sluice webhook dead game-mail
  $ sluice webhook dead game-mail --after 120
`;

export function addWebhookTest(webhook: Command): void {
  const command = webhook
    .command('test <id>')
    .description('send an event `webhook.test` now, and tell how that went')
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExample:\n  $ sluice webhook test game-mail\n');
  withDeploymentOptions(command).action(testWebhook);
}

export function addWebhookDead(webhook: Command): void {
  const command = webhook
    .command('dead <id>')
    .description('list deliveries that were given up, oldest first')
    .option('--after <delivery>', 'begin behind this one', wholeNumber(1))
    .option('--json', 'print one JSON document')
    .addHelpText('after', DEAD_EXAMPLES);
  withDeploymentOptions(command).action(listDead);
}

export function addWebhookReplay(webhook: Command): void {
  const command = webhook
    .command('replay <id>')
    .description('send what was given up again')
    .option('--delivery <number>', 'one of them (default: all of the endpoint)', wholeNumber(1))
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      '\nExamples:\n  $ sluice webhook replay game-mail\n  $ sluice webhook replay game-mail --delivery 7\n',
    );
  withDeploymentOptions(command).action(replay);
}

async function testWebhook(id: string, options: DeploymentOptions & { readonly json?: true }): Promise<void> {
  const call = { method: 'POST', path: routes.webhookCall(id, 'test') } as const;
  const tested = (await callAdmin(findDeployment(options), call)) as WebhookTestedAnswer;
  if (options.json) printJson(tested);
  if (!tested.delivered) throw new CommandFailed(`${id} did not take it: ${tested.error ?? 'no answer'}`);
  if (!options.json) printTitle(`${id} took it (HTTP ${tested.status})`);
}

async function listDead(id: string, options: DeadOptions): Promise<void> {
  const query = `dead-letters?limit=100${options.after === undefined ? '' : `&after=${options.after}`}`;
  const call = { method: 'GET', path: `${routes.webhook(id)}/${query}` } as const;
  const page = (await callAdmin(findDeployment(options), call)) as DeadLetterPageAnswer;
  if (options.json) {
    printJson(page);
    return;
  }
  if (page.deadLetters.length === 0) console.log('There is nothing that was given up.');
  else {
    printTable(
      page.deadLetters.map(({ id: delivery, type, subject, diedAtMs, error }) => [
        ...([String(delivery), `${type} of ${subject}`, `${instantText(diedAtMs)}  ${error}`] as const),
      ]),
    );
  }
  if (page.next !== null) console.log(`There are more: --after ${page.next}`);
}

async function replay(id: string, options: ReplayOptions): Promise<void> {
  const { delivery, json } = options;
  const body = delivery === undefined ? {} : { delivery };
  const call = { method: 'POST', path: routes.webhookCall(id, 'replay'), body } as const;
  const answer = (await callAdmin(findDeployment(options), call)) as ReplayedAnswer;
  if (json) printJson(answer);
  else printTitle(`${answer.replayed} ${answer.replayed === 1 ? 'delivery is' : 'deliveries are'} sent again`);
}
