/**
 * The other sale of a limit group. Its buyers are those of the sale, who try both; what becomes of its units is not audited,
 * only what they count for.
 */
import type { Buyer } from '../domain/buyer.ts';
import { HOME_REGION, MAIN_CHANNEL } from '../domain/inventory/quota.ts';
import type { SaleDraft } from '../domain/sale/sale.ts';
import type { Auditor } from './auditor.ts';
import { type Plan, SALE_BESIDE_ID } from './plan.ts';
import type { Random } from './random.ts';
import type { Site } from './site.ts';
import type { World } from './world.ts';

export const LIMIT_GROUP = 'group';

/** Who hears of one sale alone. */
export function auditorOfSale(auditor: Auditor, saleId: string): Auditor {
  const foreignMoves = new Set<string>();
  const { returns } = auditor;
  return {
    ...auditor,
    returns: {
      ...returns,
      saleChanged(sale) {
        if (sale.id === saleId) returns.saleChanged(sale);
      },
    },
    saleCreated(draft, quotas) {
      if (draft.id === saleId) auditor.saleCreated(draft, quotas);
    },
    allotted(result) {
      if (result.kind !== 'allotted') return;
      if (result.move.quota.saleId === saleId) auditor.allotted(result);
      else foreignMoves.add(result.move.id);
    },
    moveFinished(moveId) {
      if (!foreignMoves.has(moveId)) auditor.moveFinished(moveId);
    },
    epochOpened(request) {
      if (request.segment.saleId === saleId) auditor.epochOpened(request);
    },
    settled(claims, outcomes) {
      const own = outcomes.filter(({ claim }) => claim.saleId === saleId);
      const ownClaims = claims.filter((claim) => claim.saleId === saleId);
      if (ownClaims.length > 0) auditor.settled(ownClaims, own);
    },
    quarantined(claim, reason) {
      if (claim.saleId === saleId) auditor.quarantined(claim, reason);
    },
    claimed(call, requests, outcomes) {
      if (call.segment.saleId === saleId) auditor.claimed(call, requests, outcomes);
    },
    credited(call, credit) {
      if (call.segment.saleId === saleId) auditor.credited(call, credit);
    },
    released(call, claim, destination) {
      if (call.segment.saleId === saleId) auditor.released(call, claim, destination);
    },
    loaded(call, load) {
      if (call.segment.saleId === saleId) auditor.loaded(call, load);
    },
  };
}

export function draftBeside(draft: SaleDraft): SaleDraft {
  return { ...draft, id: SALE_BESIDE_ID, title: 'Another sale' };
}

interface Street {
  readonly world: World;
  readonly site: Site;
}

/** Each at a moment of their own; they ask until they are answered, and are patient for a while. */
export function sendBuyersBeside(street: Street, plan: Plan): void {
  for (let number = 1; number <= plan.buyers; number++) {
    const buyer: Buyer = { buyerId: `b${number}|`, region: HOME_REGION, channel: MAIN_CHANNEL };
    const random = street.world.random.fork();
    street.world.after(random.whole(0, Math.floor(plan.healsMs * 0.9)), () => void visit(street, buyer, random));
  }
}

const MOST_ASKED = 12;

async function visit({ world, site }: Street, buyer: Buyer, random: Random): Promise<void> {
  const units = random.whole(1, 2);
  let token: string | null = null;
  for (let asked = 0; asked < MOST_ASKED; asked++) {
    if (token === null) {
      const reply = await site.ask(`a token beside for ${buyer.buyerId}`, (engine) =>
        engine.issueToken(SALE_BESIDE_ID, buyer),
      );
      token = reply.kind === 'answer' && reply.answer.kind === 'issued' ? reply.answer.token : null;
    } else {
      const bought = { saleId: SALE_BESIDE_ID, buyer, token, units };
      const reply = await site.ask(`to sell beside to ${buyer.buyerId} x${units}`, (engine) => engine.purchase(bought));
      if (reply.kind === 'answer' && reply.answer.kind === 'accepted') return;
      if (reply.kind === 'answer' && reply.answer.kind === 'refused' && reply.answer.reason === 'over_limit') return;
    }
    await world.sleep(random.whole(50, 600));
  }
}
