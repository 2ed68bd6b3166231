/** `sluice order pay`: tells a deployment of money, as the operator's back end would. */
import type { PaymentNotedAnswer, PaymentNoticeRequest } from '@sluice/contract';
import { PAYMENT_OUTCOMES, type PaymentOutcome, type PaymentState } from '@sluice/contract/codes';
import { type Command, Option } from 'commander';
import { routes } from '../../bench/routes.ts';
import {
  callAsServer,
  type DeploymentOptions,
  findDeployment,
  withDeploymentOptions,
  withServerKeyOption,
} from '../deployment.ts';
import { wholeNumber } from '../option-values.ts';
import { printJson, printTable, printTitle } from '../print.ts';

interface OrderPayOptions extends DeploymentOptions {
  readonly reference: string;
  readonly outcome: PaymentOutcome;
  readonly amount?: number;
  readonly json?: true;
}

export const PAYMENT_MEANINGS: Readonly<Record<PaymentState, string>> = {
  applied: 'it has had its effect',
  parked: 'the order cannot take it yet; it will',
  reclaiming: 'it is late: units are looked for',
  refund_due: 'there is nothing for it: give it back',
};

const EXAMPLES = `
The reference and the outcome together name one notice: saying it again changes nothing. It may come before the order, and
after its end: late money gets a unit while there is one.

Examples:
  $ sluice order pay q0Hk3vZ2T6mJ8sXw --reference pay-1 --amount 4900
  $ sluice order pay q0Hk3vZ2T6mJ8sXw --reference pay-1 --outcome refunded
`;

export function addOrderPay(order: Command): void {
  const command = order
    .command('pay <id>')
    .description('tell of a payment, a failure or a refund')
    .requiredOption('--reference <text>', 'names the payment; yours')
    .addOption(new Option('--outcome <outcome>', 'what became of the money').choices(PAYMENT_OUTCOMES).default('paid'))
    .option('--amount <number>', "in the currency's smallest unit", wholeNumber(0))
    .option('--json', 'print one JSON document')
    .addHelpText('after', EXAMPLES);
  withServerKeyOption(withDeploymentOptions(command)).action(payOrder);
}

async function payOrder(id: string, options: OrderPayOptions): Promise<void> {
  const { reference, outcome, amount } = options;
  const body: PaymentNoticeRequest = { reference, outcome, ...(amount !== undefined && { amount }) };
  const call = { method: 'POST', path: routes.payment(id), body } as const;
  const noted = (await callAsServer(findDeployment(options), call)) as PaymentNotedAnswer;
  if (options.json) {
    printJson(noted);
    return;
  }
  printTitle(noted.repeated ? `${reference} was known already` : `${reference} is noted`);
  printTable([
    ['payment', noted.payment, PAYMENT_MEANINGS[noted.payment]],
    ['order', noted.status ?? 'not in the ledger yet'],
  ]);
  if (noted.note !== undefined) console.log(noted.note);
}
