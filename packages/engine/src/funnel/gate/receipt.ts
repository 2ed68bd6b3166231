/** The receipt of a claim: signed, kept by the client, proof that the gate took it. */
import type { OrderId } from '../../domain/ids.ts';
import { claimId, type Origin } from '../../domain/order/claim.ts';
import type { Signer } from '../../ports/signer.ts';

export function writeReceipt(signer: Signer, claim: { readonly orderId: OrderId; readonly origin: Origin }): string {
  return signer.sign('receipt', [claim.orderId, claimId(claim)]);
}

/** The order that was claimed, or null when the text is no receipt of ours. */
export function readReceipt(signer: Signer, text: string): OrderId | null {
  return signer.verify('receipt', text)?.[0] ?? null;
}
