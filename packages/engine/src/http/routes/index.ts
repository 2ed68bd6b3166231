/** Which routes there are, and who is let in. */
import type { HttpServer, RouteDeps } from '../route.ts';
import { addAdminCancelOrder } from './admin-cancel-order.ts';
import { addAdminListOrders } from './admin-list-orders.ts';
import { addAdminListSales } from './admin-list-sales.ts';
import { addAdminShowOrder } from './admin-show-order.ts';
import { addAdminShowSale } from './admin-show-sale.ts';
import { addApiDocumentRoutes } from './api-document.ts';
import { addBulkPurchase } from './bulk-purchase.ts';
import { addCancelOrder } from './cancel-order.ts';
import { addCreateSale } from './create-sale.ts';
import { addDevIdentity } from './dev-identity.ts';
import { addFulfilOrder } from './fulfil-order.ts';
import { addHealth } from './health.ts';
import { addIssueToken } from './issue-token.ts';
import { addListOrders } from './list-orders.ts';
import { addListQuarantine } from './list-quarantine.ts';
import { addListSales } from './list-sales.ts';
import { addMetrics } from './metrics.ts';
import { addNotePayment } from './note-payment.ts';
import { addOperateSale } from './operate-sale.ts';
import { addOrderEvents } from './order-events.ts';
import { addPatchSale } from './patch-sale.ts';
import { addPurchase } from './purchase.ts';
import { addReadPlaces } from './read-places.ts';
import { addReceiveStock } from './receive-stock.ts';
import { addSettleSale } from './settle-sale.ts';
import { addShowOrder } from './show-order.ts';
import { addShowSale } from './show-sale.ts';
import { addStorefront } from './storefront.ts';
import { addTakeOut } from './take-out.ts';
import { addWebhookRoutes } from './webhooks.ts';

export const ADMIN_PREFIX = '/v1/admin';

export function addRoutes(app: HttpServer, deps: RouteDeps): void {
  const { serves = 'both', devIdentity, storefront, metrics } = deps;
  addHealth(app, deps);
  if (metrics && serves !== 'buyers') addMetrics(app, { ...deps, metrics });
  if (serves === 'nobody') return;
  addApiDocumentRoutes(app, deps);
  if (serves !== 'operators') {
    for (const add of [addListSales, addShowSale, addIssueToken, addPurchase]) add(app, deps);
    for (const add of [addListOrders, addShowOrder, addCancelOrder, addOrderEvents]) add(app, deps);
    // Where buyers are served, because a back end is not on the operators' machine; with a key of its own.
    for (const add of [addNotePayment, addFulfilOrder, addBulkPurchase]) add(app, deps);
    if (devIdentity) addDevIdentity(app, { ...deps, devIdentity });
    if (storefront !== undefined) addStorefront(app, storefront);
  }
  if (serves === 'buyers') return;
  app.register(
    (operators: HttpServer, _options, done) => {
      // On the scope, not on each route: a new one is closed until it is opened.
      operators.addHook('onRequest', deps.requireOperator);
      const sales = [addCreateSale, addAdminListSales, addAdminShowSale, addPatchSale, addOperateSale, addSettleSale];
      const stock = [addReceiveStock, addReadPlaces, addListQuarantine, addTakeOut];
      const orders = [addAdminListOrders, addAdminShowOrder, addAdminCancelOrder];
      for (const add of [...sales, ...stock, ...orders]) add(operators, deps);
      const { webhooks } = deps.engine;
      if (webhooks) addWebhookRoutes(operators, deps, webhooks);
      done();
    },
    { prefix: ADMIN_PREFIX },
  );
}
