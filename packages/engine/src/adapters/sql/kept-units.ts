/**
 * Whose units an order's row alone does not tell: what was delivered stays sold when its money goes back, and that an order was
 * fulfilled is in its events, which are never changed.
 */
import { type RawBuilder, sql } from 'kysely';
import type { OrderState } from '../../domain/order/order.ts';
import type { OrderEventType } from '../../domain/order/order-event.ts';

const REFUNDED: OrderState = 'refunded';
const FULFILLED: OrderEventType = 'order.fulfilled';

/** Of a row of the table `orders`, by that name. */
export const keptUnits: RawBuilder<boolean> = sql<boolean>`(orders.state = ${sql.lit(REFUNDED)} and exists (
  select 1 from order_events kept where kept.order_id = orders.order_id and kept.type = ${sql.lit(FULFILLED)}))`;
