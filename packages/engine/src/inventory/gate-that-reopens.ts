/**
 * Units that this process gives to the gate re-open the sale here at once: what was judged before they came is forgotten.
 * Other processes hear of them when their own verdict is up.
 */
import type { SaleId } from '../domain/ids.ts';
import type { Gate } from '../ports/gate.ts';

export function gateThatReopens(gate: Gate, forget: (saleId: SaleId) => void): Gate {
  async function reopening<Answer>(saleId: SaleId, step: () => Promise<Answer>): Promise<Answer> {
    try {
      return await step();
    } finally {
      // Also when it failed: it may have been carried out.
      forget(saleId);
    }
  }
  return {
    ...gate,
    credit: (call, credit) => reopening(call.segment.saleId, () => gate.credit(call, credit)),
    release: (call, claim, epoch, destination) =>
      reopening(call.segment.saleId, () => gate.release(call, claim, epoch, destination)),
    load: (call, load) => reopening(call.segment.saleId, () => gate.load(call, load)),
  };
}
