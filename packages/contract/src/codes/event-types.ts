/** All that an endpoint can be told. */
import { ORDER_EVENT_TYPES } from './order-events.ts';
import { SALE_EVENT_TYPES } from './sale-events.ts';

export const EVENT_TYPES = [...ORDER_EVENT_TYPES, ...SALE_EVENT_TYPES] as const;

export type EventType = (typeof EVENT_TYPES)[number];
