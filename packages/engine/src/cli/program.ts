/** The command line: which commands there are. Each teaches with examples; each prints JSON when asked to. */
import { Command } from 'commander';
import { exitStatusLines } from './command-failed.ts';
import { addConfig } from './commands/config.ts';
import { addDevToken } from './commands/dev-token.ts';
import { addDoctor } from './commands/doctor.ts';
import { addMigrate } from './commands/migrate.ts';
import { addOrderCancel } from './commands/order-cancel.ts';
import { addOrderFulfil } from './commands/order-fulfil.ts';
import { addOrderPay } from './commands/order-pay.ts';
import { addOrderShow } from './commands/order-show.ts';
import { addQueueDead } from './commands/queue-dead.ts';
import { addQueueTakeOut } from './commands/queue-take-out.ts';
import { addReconcile } from './commands/reconcile.ts';
import { addRush } from './commands/rush.ts';
import { addSaleCreate } from './commands/sale-create.ts';
import { addSaleList } from './commands/sale-list.ts';
import { addSaleOperations } from './commands/sale-operate.ts';
import { addSaleShow } from './commands/sale-show.ts';
import { addSaleStock } from './commands/sale-stock.ts';
import { addServeAndWorker } from './commands/serve-and-worker.ts';
import { addSimulate } from './commands/simulate.ts';
import { addStart } from './commands/start.ts';
import { addWebhookAdd } from './commands/webhook-add.ts';
import { addWebhookRemove, addWebhookRotate } from './commands/webhook-change.ts';
import { addWebhookDead, addWebhookReplay, addWebhookTest } from './commands/webhook-deliveries.ts';
import { addWebhookList } from './commands/webhook-list.ts';

const EXAMPLES = `
Examples:
  $ sluice start                                    everything in one process, a sample sale open
  $ sluice rush --buyers 5000 --stock 500           a crowd; the books are checked when it has left
  $ sluice sale create spring-skins --units 5000 --starts +10m --lasts 2h
  $ sluice sale show spring-skins                   where each unit is
  $ sluice reconcile                                do the books of every sale balance?
  $ sluice doctor                                   is everything it stands on as it should be?
  $ sluice order show q0Hk3vZ2T6mJ8sXw        what became of an order
  $ sluice webhook add game-mail --to https://…     tell another system what happens
  $ sluice dev-token ann                            a JWT for a buyer, to try things with curl
  $ sluice simulate --seeds 1000                    lost answers, dead processes, a virtual clock

Exit status:
${exitStatusLines()
  .map((line) => `  ${line}`)
  .join('\n')}
`;

/** Throws commander's errors instead of ending the process. */
export function createProgram(version: string): Command {
  const program = new Command('sluice')
    .description('A flash-sale engine: one purchase path that never sells more than there is.')
    .version(version)
    .showSuggestionAfterError()
    .addHelpText('after', EXAMPLES);
  addStart(program);
  addServeAndWorker(program);
  const sale = program.command('sale').description('create, list, show and operate sales, and add stock');
  addSaleCreate(sale);
  addSaleList(sale);
  addSaleShow(sale);
  addSaleOperations(sale);
  addSaleStock(sale);
  const order = program.command('order').description('show, pay, cancel and fulfil orders');
  addOrderShow(order);
  addOrderPay(order);
  addOrderCancel(order);
  addOrderFulfil(order);
  const queue = program.command('queue').description('look after what the queue could not bring into the ledger');
  addQueueDead(queue);
  addQueueTakeOut(queue);
  addWebhookCommands(program.command('webhook').description('tell other systems of what happens, and look after that'));
  addReconcile(program);
  addDoctor(program);
  addMigrate(program);
  addConfig(program);
  addDevToken(program);
  addRush(program);
  addSimulate(program);
  forAll(program, (command) => command.option(DEBUG_FLAG, 'show where an error came from').exitOverride());
  return program;
}

function addWebhookCommands(webhook: Command): void {
  const first = [addWebhookAdd, addWebhookList, addWebhookTest];
  for (const add of [...first, addWebhookDead, addWebhookReplay, addWebhookRotate, addWebhookRemove]) add(webhook);
}

/** Taken by every command, wherever it stands on the line. */
export const DEBUG_FLAG = '--debug';

/** What is set on a parent does not reach the children it has already. */
function forAll(command: Command, set: (command: Command) => void): void {
  set(command);
  for (const child of command.commands) forAll(child, set);
}
