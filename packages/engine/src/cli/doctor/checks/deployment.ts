import type { ReadinessAnswer } from '@sluice/contract';
import {
  type Answer,
  createDeploymentClient,
  type DeploymentClient,
  NoAnswer,
} from '../../../bench/deployment-client.ts';
import { isLoopback } from '../../../compose/loopback.ts';
import { CommandFailed } from '../../command-failed.ts';
import { type Finding, fail, ok, warn } from '../finding.ts';
import type { Check, Scene } from '../scene.ts';

const NAME = 'deployment';

/** The deployment that runs, or the one that was named. */
export const checkDeployment: Check = async (scene) => {
  if (!scene.isElsewhere && !scene.isRunning) return [ok(NAME, 'None runs on the data directory.')];
  const { deployment } = scene;
  const buyers = createDeploymentClient({ url: deployment.url(), connections: 1 });
  const operators = createDeploymentClient({ url: deployment.adminUrl(), connections: 1 });
  try {
    const found = await readiness(scene, buyers);
    if (found.some(({ check, level }) => check === NAME && level === 'fail')) return found;
    return [...found, await identity(scene, buyers), ...(await figures(scene, operators))];
  } catch (error) {
    if (error instanceof NoAnswer) return [fail(NAME, unreachable(scene, deployment.adminUrl()))];
    throw error;
  } finally {
    await Promise.all([buyers.close(), operators.close()]);
  }
};

async function readiness(scene: Scene, buyers: DeploymentClient): Promise<readonly Finding[]> {
  const url = scene.deployment.url();
  try {
    const answer = await buyers.call({ method: 'GET', path: '/readyz' });
    if (answer.kind === 'ok') return [ok(NAME, `${url} answers, and is ready for buyers.`), ...ledgerOf(answer.body)];
    if (answer.kind === 'foreign') return [fail(NAME, `${url} is no Sluice: another program answers there.`)];
    return [warn(NAME, `${url} answers, and is not ready for buyers: it is starting or stopping.`)];
  } catch (error) {
    if (error instanceof NoAnswer) return [fail(NAME, unreachable(scene, url))];
    throw error;
  }
}

const STALLED =
  'The ledger takes nothing: tries are refused as busy. Look at its disk, and at the log for what it says.';

/** Nothing where another process settles. */
function ledgerOf(body: unknown): readonly Finding[] {
  const { ledger } = body as ReadinessAnswer;
  if (ledger === undefined) return [];
  return [ledger === 'settles' ? ok('breaker', 'The ledger settles.') : fail('breaker', STALLED)];
}

function unreachable({ isRunning }: Scene, url: string): string {
  if (!isRunning) return `Nothing answers at ${url}: start it, or look at the network between.`;
  return `Nothing answers at ${url}, though its process lives: look into its log.`;
}

const IDENTITY = 'test identity';

/** Whoever reaches the test identity may be any buyer. */
async function identity({ deployment, settings, isElsewhere }: Scene, buyers: DeploymentClient): Promise<Finding> {
  const answer = await buyers.call({ method: 'POST', path: '/dev/identity', body: { buyer: 'doctor' } });
  if (answer.kind !== 'ok') return ok(IDENTITY, 'It is off: only your own back end says who a buyer is.');
  const { hostname } = new URL(deployment.url());
  const hosts = [hostname.replace(/^\[|\]$/g, ''), ...(isElsewhere ? [] : [settings.host])];
  if (!hosts.every(isLoopback))
    return fail(
      IDENTITY,
      'Anybody on the network may be any buyer: set jwtKey to the key that your back end signs with.',
    );
  if (settings.trustedProxies !== undefined) {
    const says = 'It is on, and a proxy is configured: if others reach that, they may be any buyer. Set jwtKey.';
    return warn(IDENTITY, says);
  }
  return ok(IDENTITY, 'It is on, and only this machine can reach it.');
}

const FIGURES = 'figures';

async function figures({ deployment }: Scene, operators: DeploymentClient): Promise<readonly Finding[]> {
  let bearer: string;
  try {
    bearer = deployment.adminKey();
  } catch (error) {
    if (error instanceof CommandFailed) return [warn(FIGURES, `Not read: ${error.message}`)];
    throw error;
  }
  const text = textOf(await operators.call({ method: 'GET', path: '/metrics', bearer }));
  if (text === null) return [warn(FIGURES, 'Not read: the deployment does not take this admin key.')];
  return [queue(text)];
}

/** Figures are no JSON, which the client takes for a stranger's answer. */
function textOf(answer: Answer): string | null {
  return answer.kind === 'foreign' && answer.status === 200 ? answer.text : null;
}

/** Buyers wait as long; intake ends at maxQueueAgeMs. */
const LONG_WAIT_S = 1;

function queue(text: string): Finding {
  const claims = Number(/^sluice_queue_claims (\S+)$/m.exec(text)?.[1] ?? 0);
  const ageS = Number(/^sluice_queue_oldest_age_seconds (\S+)$/m.exec(text)?.[1] ?? 0);
  const says = `${claims} claims wait to be settled, the oldest for ${ageS.toFixed(1)} s`;
  return ageS > LONG_WAIT_S ? warn('queue', `${says}: the ledger is slow. Look at its disk.`) : ok('queue', `${says}.`);
}
