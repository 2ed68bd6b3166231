/** Where things are on a deployment. */
const ADMIN = '/v1/admin/sales';

export const routes = {
  token: (saleId: string) => `/v1/sales/${saleId}/token`,
  purchases: (saleId: string) => `/v1/sales/${saleId}/purchases`,
  order: (orderId: string) => `/v1/orders/${orderId}`,
  adminSales: () => ADMIN,
  adminSale: (saleId: string) => `${ADMIN}/${saleId}`,
  publish: (saleId: string) => `${ADMIN}/${saleId}/publish`,
  operate: (saleId: string, operation: string) => `${ADMIN}/${saleId}/${operation}`,
  stock: (saleId: string) => `${ADMIN}/${saleId}/stock`,
  places: (saleId: string) => `${ADMIN}/${saleId}/places`,
} as const;
