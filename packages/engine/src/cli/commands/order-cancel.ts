/** `sluice order cancel`: an operator ends an unpaid order. */
import type { AdminOrderAnswer } from '@sluice/contract';
import type { Command } from 'commander';
import { routes } from '../../bench/routes.ts';
import { CommandFailed } from '../command-failed.ts';
import { askAdmin, type DeploymentOptions, findDeployment, withDeploymentOptions } from '../deployment.ts';
import { printJson } from '../print.ts';
import { printOrder } from './order-show.ts';

const EXAMPLES = `
Its units are sold again at once. A paid order is not cancelled: refund it (\`sluice order pay --outcome refunded\`).

Example:
  $ sluice order cancel q0Hk3vZ2T6mJ8sXw
`;

export function addOrderCancel(order: Command): void {
  const command = order
    .command('cancel <id>')
    .description('cancel an order that is not paid')
    .option('--json', 'print one JSON document')
    .addHelpText('after', EXAMPLES);
  withDeploymentOptions(command).action(cancelOrder);
}

async function cancelOrder(id: string, options: DeploymentOptions & { readonly json?: true }): Promise<void> {
  const call = { method: 'POST', path: routes.adminCancel(id) } as const;
  const order = (await askAdmin(findDeployment(options), call, ['wrong_state'])) as AdminOrderAnswer | null;
  if (!order) {
    throw new CommandFailed(
      `Only an order that waits for its payment is cancelled. Of a paid one, give the money back, and tell of it: ` +
        `\`sluice order pay ${id} --reference REFERENCE --outcome refunded\`. \`sluice order show ${id}\` lists its payments.`,
    );
  }
  if (options.json) printJson(order);
  else printOrder(order);
}
