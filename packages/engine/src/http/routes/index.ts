/** Which routes there are, and who is let in. */
import type { HttpServer, RouteDeps } from '../route.ts';
import { addAdminListSales } from './admin-list-sales.ts';
import { addAdminShowSale } from './admin-show-sale.ts';
import { addCreateSale } from './create-sale.ts';
import { addDevIdentity } from './dev-identity.ts';
import { addHealth } from './health.ts';
import { addIssueToken } from './issue-token.ts';
import { addListSales } from './list-sales.ts';
import { addMetrics } from './metrics.ts';
import { addPublishSale } from './publish-sale.ts';
import { addPurchase } from './purchase.ts';
import { addReadPlaces } from './read-places.ts';
import { addShowOrder } from './show-order.ts';
import { addShowSale } from './show-sale.ts';
import { addStorefront } from './storefront.ts';

export const ADMIN_PREFIX = '/v1/admin';

export function addRoutes(app: HttpServer, deps: RouteDeps): void {
  const { serves = 'both', devIdentity, storefront, metrics } = deps;
  addHealth(app, deps);
  if (serves !== 'operators') {
    for (const add of [addListSales, addShowSale, addIssueToken, addPurchase, addShowOrder]) add(app, deps);
    if (devIdentity) addDevIdentity(app, { ...deps, devIdentity });
    if (storefront !== undefined) addStorefront(app, storefront);
  }
  if (serves === 'buyers') return;
  if (metrics) addMetrics(app, { ...deps, metrics });
  app.register(
    (operators: HttpServer, _options, done) => {
      // On the scope, not on each route: a new one is closed until it is opened.
      operators.addHook('onRequest', deps.requireOperator);
      const routes = [addCreateSale, addAdminListSales, addAdminShowSale, addPublishSale, addReadPlaces];
      for (const add of routes) add(operators, deps);
      done();
    },
    { prefix: ADMIN_PREFIX },
  );
}
