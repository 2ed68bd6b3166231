/** Where things are on a deployment. Ids come from people and other programs, so each is told apart from the path it is in. */
const segment = encodeURIComponent;

const ADMIN = '/v1/admin/sales';
const WEBHOOKS = '/v1/admin/webhooks';
const ADMIN_ORDERS = '/v1/admin/orders';

export const routes = {
  token: (saleId: string) => `/v1/sales/${segment(saleId)}/token`,
  purchases: (saleId: string) => `/v1/sales/${segment(saleId)}/purchases`,
  order: (orderId: string) => `/v1/orders/${segment(orderId)}`,
  cancel: (orderId: string) => `/v1/orders/${segment(orderId)}/cancel`,
  payment: (orderId: string) => `/v1/orders/${segment(orderId)}/payment`,
  fulfilment: (orderId: string) => `/v1/orders/${segment(orderId)}/fulfilment`,
  adminOrder: (orderId: string) => `${ADMIN_ORDERS}/${segment(orderId)}`,
  adminCancel: (orderId: string) => `${ADMIN_ORDERS}/${segment(orderId)}/cancel`,
  adminSales: () => ADMIN,
  adminSale: (saleId: string) => `${ADMIN}/${segment(saleId)}`,
  operate: (saleId: string, operation: string) => `${ADMIN}/${segment(saleId)}/${operation}`,
  stock: (saleId: string) => `${ADMIN}/${segment(saleId)}/stock`,
  webhooks: () => WEBHOOKS,
  webhook: (id: string) => `${WEBHOOKS}/${segment(id)}`,
  webhookCall: (id: string, call: string) => `${WEBHOOKS}/${segment(id)}/${call}`,
  places: (saleId: string) => `${ADMIN}/${segment(saleId)}/places`,
  takeOut: (call: string) => `/v1/admin/quarantine/${segment(call)}`,
  quarantine: (after?: string) =>
    `/v1/admin/quarantine?limit=100${after === undefined ? '' : `&after=${encodeURIComponent(after)}`}`,
} as const;
