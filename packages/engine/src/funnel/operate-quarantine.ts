/**
 * What a person does with what was set aside: has it settled after all, once its cause is mended, or ends it. Promises: a claim is
 * settled once, whoever asks and however often; its units are in one place at every moment; an entry is settled only when its gate
 * has the claim that it says, for a text alone proves nothing.
 */
import { Fault } from '../domain/fault.ts';
import { type Claim, claimId, isSameOrigin, segmentOf } from '../domain/order/claim.ts';
import type { Order } from '../domain/order/order.ts';
import type { ClaimMarks } from '../ports/claim-marks.ts';
import type { InventoryCentre } from '../ports/inventory-centre.ts';
import type { Quarantine, SetAside } from '../ports/quarantine.ts';
import type { UnreadEntry } from '../ports/queue.ts';
import type { Settlement } from '../ports/settlement.ts';
import { type TellDeps, tellOutcomes } from './fulfil.ts';
import { type GroupOutcome, settleGroup } from './ledger/settle-group.ts';

export interface OperateQuarantineDeps extends TellDeps {
  readonly quarantine: Quarantine;
  readonly settlement: Settlement;
  readonly inventoryCentre: InventoryCentre;
  readonly claimMarks: ClaimMarks;
  /** Told of every fault that will be tried again. */
  readonly onFault: (fault: Fault) => void;
}

export type TakenOut =
  /** `order`: what became of its claim; null: it was none. */
  | { readonly kind: 'done'; readonly order: Order | null; readonly isRepeated: boolean }
  | { readonly kind: 'absent' }
  /** It stays, and why, for people. */
  | { readonly kind: 'stays'; readonly why: string };

export interface QuarantineOperations {
  list(after: string | null, max: number): Promise<readonly SetAside[]>;
  replay(id: string): Promise<TakenOut>;
  drop(id: string): Promise<TakenOut>;
}

export function createQuarantineOperations(deps: OperateQuarantineDeps): QuarantineOperations {
  const { quarantine } = deps;
  return {
    list: (after, max) => quarantine.list(after, max),
    async replay(id) {
      const aside = await quarantine.find(id);
      if (!aside) return { kind: 'absent' };
      return aside.what.kind === 'claim' ? replayClaim(deps, id) : replayEntry(deps, id, aside.what.entry);
    },
    async drop(id) {
      const result = await orStays(() => quarantine.drop(id));
      if (result.kind === 'sale_settled') return stays('Its sale is settled, and nothing moves in it any more.');
      if (result.kind !== 'dropped') return result;
      return result.outcome ? tell(deps, result.outcome) : { kind: 'done', order: null, isRepeated: false };
    },
  };
}

async function replayClaim(deps: OperateQuarantineDeps, id: string): Promise<TakenOut> {
  const outcome = await orStays(() => deps.quarantine.replay(id));
  if (outcome === null) return { kind: 'absent' };
  return outcome.kind === 'stays' ? outcome : tell(deps, outcome);
}

async function replayEntry(deps: OperateQuarantineDeps, id: string, entry: UnreadEntry): Promise<TakenOut> {
  const claim = deps.queue.readAgain(entry);
  if (!claim)
    return stays('It cannot be read. If it was a claim, that has come back from its gate by itself: drop it.');
  if (!(await isClaimed(deps, claim))) {
    return stays('Neither the ledger nor its gate has a claim as it says, so nothing may be sold for it: drop it.');
  }
  const [outcome] = await settleGroup(deps.settlement, [claim]);
  if (!outcome || outcome.kind === 'quarantined') return stays('The ledger refuses its claim, which is set aside now.');
  const told = await tell(deps, outcome);
  await deps.quarantine.drop(id);
  return told;
}

/** The ledger knows it already, or its gate has it as not settled. */
async function isClaimed({ inventoryCentre, claimMarks }: OperateQuarantineDeps, claim: Claim): Promise<boolean> {
  const stock = await inventoryCentre.stock(claim.saleId, [claim]);
  if (!stock) return false;
  if (stock.knownClaimIds.has(claimId(claim))) return true;
  const marks = await claimMarks.ofBuyer(segmentOf(claim), claim.buyerId);
  return marks.some(
    (mark) =>
      mark.state === 'claimed' &&
      mark.orderId === claim.orderId &&
      mark.units === claim.units &&
      isSameOrigin(mark.origin, claim.origin),
  );
}

/** What the ledger has done is done: a gate that is away hears of it later, from the keeper. */
async function tell(deps: OperateQuarantineDeps, outcome: GroupOutcome): Promise<TakenOut> {
  try {
    await tellOutcomes(deps, [outcome]);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    deps.onFault(error);
  }
  const order = outcome.kind === 'quarantined' ? null : outcome.order;
  return { kind: 'done', order, isRepeated: outcome.kind === 'repeated' };
}

async function orStays<Result>(step: () => Promise<Result>): Promise<Result | (TakenOut & { readonly kind: 'stays' })> {
  try {
    return await step();
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'ledger_constraint') throw error;
    return stays(`The ledger refuses it: ${error.message}`);
  }
}

function stays(why: string): TakenOut & { readonly kind: 'stays' } {
  return { kind: 'stays', why };
}
