/** `sluice dev-token`: a buyer's JWT, as the operator's own back end would sign it. */
import type { Command } from 'commander';
import { wrongUsage } from '../command-failed.ts';
import { type DeploymentOptions, findDeployment, withJwtKeyOption } from '../deployment.ts';
import { durationOption } from '../option-values.ts';
import { printJson } from '../print.ts';

interface DevTokenOptions extends DeploymentOptions {
  readonly lifetime: number;
  readonly json?: true;
}

const EXAMPLES = `
Example:
  $ curl -X POST localhost:8460/v1/sales/starter-skin/token -H "authorization: Bearer $(sluice dev-token ann)"
`;

export function addDevToken(program: Command): void {
  const command = program
    .command('dev-token <buyer>')
    .description("print a JWT for a buyer, signed with the deployment's key")
    .addOption(durationOption('--lifetime', 'how long it is good for: 90s, 15m, 2h, 30d', '12h'))
    .option('--data-dir <directory>', 'data directory of a deployment on this machine (default: .sluice)')
    .option('--config <file>', 'configuration file (default: sluice.config.json)')
    .option('--json', 'print one JSON document')
    .addHelpText('after', EXAMPLES);
  withJwtKeyOption(command).action(printDevToken);
}

async function printDevToken(buyer: string, options: DevTokenOptions): Promise<void> {
  // Not above: other commands sign nothing.
  const { signDevToken } = await import('../../compose/dev-token.ts');
  const { jwtKey, jwtClaims } = findDeployment(options);
  const lifetimeMs = options.lifetime;
  const expiresAtMs = Date.now() + lifetimeMs;
  const jwt = signDevToken({ jwtKey: jwtKey(), ...jwtClaims, buyer, lifetimeMs });
  if (jwt === null) throw wrongUsage('No buyer can have this name: it is empty, too long, or not text.');
  if (options.json) printJson({ buyer, jwt, expiresAtMs });
  else console.log(jwt);
}
