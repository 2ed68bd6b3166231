/** The receipt of a claim: signed, kept by the client, proof that the gate took it. */
import type { OrderId } from '../../domain/ids.ts';
import { type Claim, claimId } from '../../domain/order/claim.ts';
import type { Signer } from '../../ports/signer.ts';

export function writeReceipt(signer: Signer, claim: Claim): string {
  return signer.sign('receipt', [claim.orderId, claimId(claim), claim.saleId, claim.buyerId, String(claim.units)]);
}

/** The order that was claimed, or null when the text is no receipt of ours. */
export function readReceipt(signer: Signer, text: string): OrderId | null {
  return signer.verify('receipt', text)?.[0] ?? null;
}

const ORIGIN = /^(.*)\/([^/]*)\/(\d+)\/(\d+)-(\d+)$/s;

/** The claim itself; null, too, for a receipt that does not tell all of it. */
export function readReceiptClaim(signer: Signer, text: string): Claim | null {
  const [orderId = '', id = '', saleId, buyerId, units] = signer.verify('receipt', text) ?? [];
  const [, region, channel, ...numbers] = ORIGIN.exec(id.slice(orderId.length + 1)) ?? [];
  const [segment = 0, epoch = 0, seq = 0] = numbers.map(Number);
  if (saleId === undefined || buyerId === undefined || region === undefined || channel === undefined) return null;
  return { orderId, saleId, buyerId, units: Number(units), origin: { region, channel, segment, epoch, seq } };
}
