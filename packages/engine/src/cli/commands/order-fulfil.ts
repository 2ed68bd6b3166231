/** `sluice order fulfil`: what a back end tells when it has delivered. */
import type { OrderFulfilledAnswer } from '@sluice/contract';
import type { Command } from 'commander';
import { routes } from '../../bench/routes.ts';
import {
  callAsServer,
  type DeploymentOptions,
  findDeployment,
  withDeploymentOptions,
  withServerKeyOption,
} from '../deployment.ts';
import { printJson, printTitle } from '../print.ts';

const EXAMPLES = `
Only a paid order is fulfilled; telling it again changes nothing.

Example:
  $ sluice order fulfil q0Hk3vZ2T6mJ8sXw
`;

export function addOrderFulfil(order: Command): void {
  const command = order
    .command('fulfil <id>')
    .description('tell that a paid order was delivered')
    .option('--json', 'print one JSON document')
    .addHelpText('after', EXAMPLES);
  withServerKeyOption(withDeploymentOptions(command)).action(fulfilOrder);
}

async function fulfilOrder(id: string, options: DeploymentOptions & { readonly json?: true }): Promise<void> {
  const call = { method: 'POST', path: routes.fulfilment(id) } as const;
  const answer = (await callAsServer(findDeployment(options), call)) as OrderFulfilledAnswer;
  if (options.json) printJson(answer);
  else printTitle(answer.repeated ? `${id} was fulfilled already` : `${id} is fulfilled`);
}
