/** What the checks of doctor look at. */
import type { Endpoint } from '../../compose/deployment-files.ts';
import type { StoreSight } from '../../compose/stopped-store.ts';
import type { Settings } from '../../config/settings.ts';
import type { Deployment } from '../deployment.ts';
import type { Finding } from './finding.ts';

export interface Scene {
  readonly settings: Settings;
  /** Absolute. */
  readonly dataDir: string;
  /** What a deployment on the data directory left there; null when none did. */
  readonly endpoint: Endpoint | null;
  /** Its process lives. */
  readonly isRunning: boolean;
  readonly store: StoreSight;
  readonly deployment: Deployment;
  /** The deployment was named with --url: what is on this machine is not its own. */
  readonly isElsewhere: boolean;
}

export type Check = (scene: Scene) => Promise<readonly Finding[]> | readonly Finding[];
