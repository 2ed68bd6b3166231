/**
 * A buyer's own order, for times in which nothing may be claimed: who has an order already gets it, when the ledger can be
 * read. It promises to cost a failing ledger little: few readings at a time, each with a short patience.
 */
import { Fault } from '../domain/fault.ts';
import type { OrderId } from '../domain/ids.ts';
import type { Order } from '../domain/order/order.ts';
import type { Clock } from '../ports/clock.ts';
import type { Orders } from '../ports/orders.ts';

export interface KnownOrders {
  /** Null: there is none, or it cannot be told now. */
  find(orderId: OrderId): Promise<Order | null>;
}

const MAX_READINGS = 64;
const PATIENCE_MS = 500;

export function createKnownOrders(orders: Orders, clock: Clock): KnownOrders {
  let readings = 0;

  async function read(orderId: OrderId): Promise<Order | null> {
    readings++;
    try {
      return await orders.find(orderId);
    } catch (error) {
      if (error instanceof Fault && error.retryable) return null;
      throw error;
    } finally {
      readings--;
    }
  }

  return {
    async find(orderId) {
      if (readings >= MAX_READINGS) return null;
      return new Promise((resolve, reject) => {
        const callOff = clock.after(PATIENCE_MS, () => resolve(null));
        read(orderId).then(resolve, reject).finally(callOff);
      });
    },
  };
}
