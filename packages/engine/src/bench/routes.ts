/** Where things are on a deployment. */
const ADMIN = '/v1/admin/sales';
const ADMIN_ORDERS = '/v1/admin/orders';

export const routes = {
  token: (saleId: string) => `/v1/sales/${saleId}/token`,
  purchases: (saleId: string) => `/v1/sales/${saleId}/purchases`,
  order: (orderId: string) => `/v1/orders/${orderId}`,
  cancel: (orderId: string) => `/v1/orders/${orderId}/cancel`,
  payment: (orderId: string) => `/v1/orders/${orderId}/payment`,
  adminOrder: (orderId: string) => `${ADMIN_ORDERS}/${orderId}`,
  adminCancel: (orderId: string) => `${ADMIN_ORDERS}/${orderId}/cancel`,
  adminSales: () => ADMIN,
  adminSale: (saleId: string) => `${ADMIN}/${saleId}`,
  operate: (saleId: string, operation: string) => `${ADMIN}/${saleId}/${operation}`,
  stock: (saleId: string) => `${ADMIN}/${saleId}/stock`,
  places: (saleId: string) => `${ADMIN}/${saleId}/places`,
} as const;
