/** `sluice queue replay` and `sluice queue drop`: what a person decides of what was set aside. */
import type { QuarantinePageAnswer, TakenOutAnswer } from '@sluice/contract';
import type { Command } from 'commander';
import { routes } from '../../bench/routes.ts';
import { EXIT, wrongUsage } from '../command-failed.ts';
import {
  askAdmin,
  callAdmin,
  type Deployment,
  type DeploymentOptions,
  findDeployment,
  withDeploymentOptions,
} from '../deployment.ts';
import { printJson } from '../print.ts';

type TakeOutOptions = DeploymentOptions & { readonly json?: true };

const REPLAY_HELP = `
A claim is settled as if it had just come, once: mend first what the ledger refused it for (\`sluice queue dead\` says what). An entry
is settled when it can be read now and its gate still has the claim; mostly that claim has come back by itself long since.
What cannot be settled stays.

Exit status: ${EXIT.ok} nothing stays, ${EXIT.failed} something does.

Examples:
  $ sluice queue replay q0Hk3vZ2T6mJ8sXw@home/main/0/1-7
  $ sluice queue replay --all
`;

const DROP_HELP = `
The order of a claim is refused, its units are sold again, and its buyer's limit is free. An entry is forgotten. It cannot be taken back.

Example:
  $ sluice queue drop q0Hk3vZ2T6mJ8sXw@home/main/0/1-7
`;

export function addQueueTakeOut(queue: Command): void {
  const replay = queue
    .command('replay [id]')
    .description('have what was set aside settled after all')
    .option('--all', 'everything that was set aside')
    .option('--json', 'print one JSON document')
    .addHelpText('after', REPLAY_HELP);
  withDeploymentOptions(replay).action(replayOneOrAll);
  const drop = queue
    .command('drop <id>')
    .description('end what was set aside; its units go back')
    .option('--json', 'print one JSON document')
    .addHelpText('after', DROP_HELP);
  withDeploymentOptions(drop).action(async (id: string, options: TakeOutOptions) => {
    const taken = await takeOut(findDeployment(options), 'drop', id);
    if (options.json) printJson(taken);
    else console.log(taken.orderId === null ? `${id} is forgotten` : `the order ${taken.orderId} is ${taken.status}`);
  });
}

async function replayOneOrAll(
  id: string | undefined,
  options: TakeOutOptions & { readonly all?: true },
): Promise<void> {
  if ((id === undefined) === (options.all === undefined)) throw wrongUsage('Say which one, or --all.');
  const deployment = findDeployment(options);
  if (id === undefined) return replayAll(deployment, options);
  const taken = await takeOut(deployment, 'replay', id);
  if (options.json) printJson(taken);
  else console.log(`the order ${taken.orderId} is ${taken.status}`);
}

async function replayAll(deployment: Deployment, { json }: TakeOutOptions): Promise<void> {
  const replayed: TakenOutAnswer[] = [];
  const stays: string[] = [];
  for (let after: string | undefined; ; ) {
    const page = (await callAdmin(deployment, {
      ...{ method: 'GET', path: routes.quarantine(after) },
    })) as QuarantinePageAnswer;
    for (const { id } of page.quarantine) {
      const taken = await askAdmin(deployment, callOf('replay', id), ['wrong_state', 'not_found']);
      if (taken) replayed.push(taken as TakenOutAnswer);
      else stays.push(id);
    }
    if (page.next === null) break;
    after = page.next;
  }
  if (json) printJson({ replayed, stays });
  else
    console.log(
      `${replayed.length} settled, ${stays.length} stay${stays.length === 0 ? '' : ': sluice queue replay ID says why'}`,
    );
  if (stays.length > 0) process.exitCode = EXIT.failed;
}

function callOf(call: 'replay' | 'drop', id: string) {
  return { method: 'POST', path: routes.takeOut(call), body: { id } } as const;
}

async function takeOut(deployment: Deployment, call: 'replay' | 'drop', id: string): Promise<TakenOutAnswer> {
  return (await callAdmin(deployment, callOf(call, id))) as TakenOutAnswer;
}
