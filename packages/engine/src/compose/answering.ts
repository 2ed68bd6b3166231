/** What an HTTP listener answers with: a running engine, limits, identities and keys. */
import { systemClock } from '../adapters/system/clock.ts';
import { createJwtIdentity } from '../adapters/system/identity.ts';
import type { Settings } from '../config/settings.ts';
import { createRequestLimits } from '../funnel/gateway/request-limits.ts';
import type { HttpDeps } from '../http/deps.ts';
import type { DeploymentKeys } from './deployment-keys.ts';
import type { Logger } from './log.ts';
import { isLoopback, LOOPBACK_NETWORKS } from './loopback.ts';
import { createMetrics } from './metrics.ts';
import { ratesOf } from './rates-of.ts';
import type { RunningEngine } from './run-engine.ts';

export interface Answering {
  readonly deps: HttpDeps;
  /** No longer ready: balancers send buyers elsewhere. */
  end(): void;
}

export function answeringWith(
  { engine, telemetry, lag, isSafe }: RunningEngine,
  { settings, log, keys }: { readonly settings: Settings; readonly log: Logger; readonly keys: DeploymentKeys },
): Answering {
  let isReady = true;
  const limits = createRequestLimits(systemClock, ratesOf(settings));
  return {
    deps: {
      ...{ engine, clock: systemClock, limits, telemetry, logger: log, isReady: () => isReady && isSafe() },
      settles: engine.settles,
      trustedProxies: settings.trustedProxies ?? (isLoopback(settings.host) ? LOOPBACK_NETWORKS : []),
      ...{ adminKey: keys.adminKey, serverKey: keys.serverKey },
      identity: createJwtIdentity({ secret: keys.jwtKey, ...jwtClaimsOf(settings) }),
      metrics: createMetrics({ telemetry, engine, limits, lag }),
    },
    end() {
      isReady = false;
    },
  };
}

/** What a buyer's JWT must say, and where it says who they are. */
export function jwtClaimsOf({ buyerClaim, jwtIssuer, jwtAudience }: Settings) {
  return { buyerClaim, issuer: jwtIssuer, audience: jwtAudience };
}
