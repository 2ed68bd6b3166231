/** The simulator: `runSimulation` for one seed, `runSeeds` for many. */
export { runSeeds, type SeedsResult } from './run-seeds.ts';
export { SCENARIOS, type ScenarioName } from './scenarios.ts';
export { runSimulation } from './simulation.ts';
