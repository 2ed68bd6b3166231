/** The ledger as a list of calls, so that all its methods can be wrapped, or sent elsewhere, in one place. */
import type { Ledger } from '../../ports/ledger.ts';

type MethodsOf<Port> = { readonly [Method in keyof Port]: true };

/** Complete by its type: a method that is missing here, or is none, does not compile. */
const METHODS: { readonly [Port in keyof Ledger]: MethodsOf<Ledger[Port]> } = {
  sales: { create: true, find: true, list: true, operate: true, settle: true, notice: true, patch: true },
  orders: {
    ...{ find: true, findMany: true, list: true, history: true, payments: true },
    ...{ notePayment: true, cancel: true, fulfil: true, expireDue: true, listReclaiming: true, giveUpReclaim: true },
    ...{ listCharges: true, giveUpCharge: true, closeCharge: true },
  },
  settlement: { settle: true, quarantine: true },
  quarantine: { keep: true, list: true, find: true, replay: true, drop: true },
  inventoryCentre: {
    ...{ stock: true, receiveStock: true, openWithdrawal: true, closeWithdrawal: true },
    ...{ allot: true, finishMove: true, issueReturn: true, finishReturn: true, finishRelease: true, openEpoch: true },
  },
  journal: { read: true },
  idempotency: { reserve: true, keep: true, letGo: true },
  outbox: {
    ...{ handOut: true, claim: true, delivered: true, failed: true, putBack: true },
    ...{ listDead: true, replay: true, depth: true },
  },
  webhooks: { add: true, find: true, list: true, read: true, remove: true, rotate: true },
  roster: { present: true, leave: true },
  identity: { read: true },
};

export interface LedgerCall {
  readonly port: string;
  readonly method: string;
  readonly args: readonly unknown[];
}

type Method = (...args: readonly unknown[]) => Promise<unknown>;

/** A ledger whose every method is a call of `send`. */
export function ledgerOf(send: (call: LedgerCall) => Promise<unknown>): Ledger {
  const ports: Record<string, Record<string, Method>> = {};
  for (const [port, methods] of Object.entries(METHODS)) {
    const built: Record<string, Method> = {};
    for (const method of Object.keys(methods)) built[method] = (...args) => send({ port, method, args });
    ports[port] = built;
  }
  return ports as unknown as Ledger;
}

export function invokeMethod(ledger: Ledger, { port, method, args }: LedgerCall): Promise<unknown> {
  const target = (ledger as unknown as Record<string, Record<string, Method>>)[port]?.[method];
  if (!target) throw new TypeError(`the ledger has no method ${port}.${method}`);
  return target(...args);
}
