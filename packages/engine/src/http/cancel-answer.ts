/** What a cancel is answered with, whoever asked for it. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { OrderId } from '../domain/ids.ts';
import type { Order } from '../domain/order/order.ts';
import type { CancelAnswer } from '../funnel/cancel-order.ts';
import type { Refuser } from './outcome-to-response.ts';

export interface CancelTeller<Shown> {
  readonly refuser: Refuser;
  /** Who ended it, for the log. */
  readonly by: string;
  readonly show: (order: Order) => Promise<Shown>;
}

export interface AskedCancel {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly orderId: OrderId;
}

export async function tellCancel<Shown>(
  { refuser, by, show }: CancelTeller<Shown>,
  { request, reply, orderId }: AskedCancel,
  answer: CancelAnswer,
): Promise<FastifyReply | Shown | { readonly orderId: OrderId; readonly status: 'queued' }> {
  switch (answer.kind) {
    case 'refused':
      return refuser.refuse(request, reply, answer);
    case 'accepted':
      reply.code(202);
      return { orderId, status: 'queued' };
    case 'cancelled':
      if (!answer.isRepeated) request.log.info({ orderId }, `order cancelled by ${by}`);
      return show(answer.order);
  }
}
