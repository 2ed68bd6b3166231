/** `sluice webhook remove` and `sluice webhook rotate`. */
import type { SecretRotatedAnswer } from '@sluice/contract';
import type { Command } from 'commander';
import { routes } from '../../bench/routes.ts';
import { CommandFailed } from '../command-failed.ts';
import { askAdmin, callAdmin, type DeploymentOptions, findDeployment, withDeploymentOptions } from '../deployment.ts';
import { instantText, printJson, printTable, printTitle } from '../print.ts';

interface RotateOptions extends DeploymentOptions {
  readonly dropOld?: true;
  readonly json?: true;
}

const ROTATE_EXAMPLES = `
For a day both secrets sign, so that the receiver may be told the new one in the meantime. A secret that has leaked is dropped at once.

Examples:
  $ sluice webhook rotate game-mail
  $ sluice webhook rotate game-mail --drop-old
`;

export function addWebhookRemove(webhook: Command): void {
  const command = webhook
    .command('remove <id>')
    .description('take an endpoint away, with what waits for it and its dead letters')
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExample:\n  $ sluice webhook remove game-mail\n');
  withDeploymentOptions(command).action(removeWebhook);
}

export function addWebhookRotate(webhook: Command): void {
  const command = webhook
    .command('rotate <id>')
    .description('give an endpoint a new secret')
    .option('--drop-old', 'the old one signs no more, at once')
    .option('--json', 'print one JSON document')
    .addHelpText('after', ROTATE_EXAMPLES);
  withDeploymentOptions(command).action(rotateSecret);
}

async function removeWebhook(id: string, options: DeploymentOptions & { readonly json?: true }): Promise<void> {
  const removed = await callAdmin(findDeployment(options), { method: 'DELETE', path: routes.webhook(id) });
  if (options.json) printJson(removed);
  else printTitle(`${id} is told nothing more`);
}

async function rotateSecret(id: string, options: RotateOptions): Promise<void> {
  const body = { dropOld: options.dropOld ?? false };
  const call = { method: 'POST', path: routes.webhookCall(id, 'rotate-secret'), body } as const;
  const rotated = (await askAdmin(findDeployment(options), call, ['wrong_state'])) as SecretRotatedAnswer | null;
  if (!rotated) {
    throw new CommandFailed(
      `The secret before this one still signs. Wait until it does not, or drop it: \`sluice webhook rotate ${id} --drop-old\`.`,
    );
  }
  if (options.json) {
    printJson(rotated);
    return;
  }
  const { secret, oldSecretUntilMs } = rotated;
  printTitle(`${id} has a new secret`);
  printTable([
    ['secret', secret, 'keep it: it is not shown again'],
    ['the old one', oldSecretUntilMs === null ? 'signs no more' : `signs, too, until ${instantText(oldSecretUntilMs)}`],
  ]);
}
