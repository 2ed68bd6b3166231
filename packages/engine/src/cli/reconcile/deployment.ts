/** Reads the books of a running deployment from its admin API. */
import type { AdminSaleListAnswer, PlacesAnswer } from '@sluice/contract';
import { routes } from '../../bench/routes.ts';
import { askAdmin, callAdmin, type Deployment, type DeploymentOptions, findDeployment } from '../deployment.ts';
import type { Reconciled, ReconciledSale, Verdict } from './report.ts';

/** A crowd moves units all the time; between two of its moves there is a still moment. */
const TRIES = 5;
const BETWEEN_TRIES_MS = 200;

export async function reconcileDeployment(sale: string | null, options: DeploymentOptions): Promise<Reconciled> {
  const deployment = findDeployment(options);
  const sales: ReconciledSale[] = [];
  for (const saleId of sale === null ? await saleIds(deployment) : [sale])
    sales.push(await readSale(deployment, saleId));
  return { source: 'deployment', sales };
}

async function saleIds(deployment: Deployment): Promise<readonly string[]> {
  const { sales } = (await callAdmin(deployment, { method: 'GET', path: routes.adminSales() })) as AdminSaleListAnswer;
  return sales.map(({ id }) => id);
}

async function readSale(deployment: Deployment, saleId: string): Promise<ReconciledSale> {
  for (let tries = 1; ; tries++) {
    const places = await readPlaces(deployment, saleId);
    if (places?.still || tries === TRIES) return judge(saleId, places);
    await new Promise((resolve) => setTimeout(resolve, BETWEEN_TRIES_MS));
  }
}

/** Null: a gate is not loaded. */
async function readPlaces(deployment: Deployment, saleId: string): Promise<PlacesAnswer | null> {
  const answer = await askAdmin(deployment, { method: 'GET', path: routes.places(saleId) }, ['not_ready']);
  return answer === null ? null : (answer as PlacesAnswer);
}

function judge(saleId: string, answer: PlacesAnswer | null): ReconciledSale {
  if (answer === null) {
    const note = 'A gate is not loaded, so what it has is not known. Ask again in a moment.';
    return { saleId, verdict: 'not_read', places: null, total: null, note, differences: [] };
  }
  const { total, balanced, still, ...places } = answer;
  if (!still) {
    const note = 'Units kept moving while this was read: the figures are of different moments.';
    return { saleId, verdict: 'not_read', places, total, note, differences: [] };
  }
  const verdict: Verdict = balanced ? 'balanced' : 'unbalanced';
  return { saleId, verdict, places, total, note: null, differences: [] };
}
