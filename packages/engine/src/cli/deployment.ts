/**
 * How a command finds the deployment it speaks to: what it was told, else what the configuration says, else what a
 * deployment on this machine left in its data directory.
 */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Reason } from '@sluice/contract/codes';
import type { Command } from 'commander';
import type { DeploymentCall } from '../bench/deployment-client.ts';
import { type Endpoint, readEndpoint, readKeys } from '../compose/deployment-files.ts';
import type { LoadedConfig } from '../config/load.ts';
import { describeMistakes } from '../config/mistake.ts';
import { loadConfigHere } from '../config/read-sources.ts';
import type { Settings } from '../config/settings.ts';
import { CommandFailed, EXIT, wrongUsage } from './command-failed.ts';
import { httpUrl } from './option-values.ts';

export interface DeploymentOptions {
  readonly url?: string;
  readonly adminUrl?: string;
  readonly adminKey?: string;
  readonly adminKeyFile?: string;
  readonly jwtKey?: string;
  readonly jwtKeyFile?: string;
  readonly serverKey?: string;
  readonly serverKeyFile?: string;
  readonly dataDir?: string;
  readonly config?: string;
}

const KEY_DEFAULT = 'default: the one in the data directory';

export function withDeploymentOptions(command: Command): Command {
  return command
    .option('--url <url>', 'where the deployment is (default: the one that runs on the data directory)', httpUrl)
    .option('--admin-url <url>', 'where its operators are served, when that is elsewhere', httpUrl)
    .option(
      '--admin-key <key>',
      `the operators' key; others see it in a process list, unlike SLUICE_ADMIN_KEY (${KEY_DEFAULT})`,
    )
    .option('--admin-key-file <file>', 'a file that holds it; - reads it from stdin')
    .option('--data-dir <directory>', 'data directory of a deployment on this machine (default: .sluice)')
    .option('--config <file>', 'configuration file (default: sluice.config.json)');
}

export function withJwtKeyOption(command: Command): Command {
  return command
    .option('--jwt-key <key>', `key that buyers' JWTs are signed with (or SLUICE_JWT_KEY; ${KEY_DEFAULT})`)
    .option('--jwt-key-file <file>', 'a file that holds it; - reads it from stdin');
}

export function withServerKeyOption(command: Command): Command {
  return command
    .option('--server-key <key>', `the back end's key (or SLUICE_SERVER_KEY; ${KEY_DEFAULT})`)
    .option('--server-key-file <file>', 'a file that holds it; - reads it from stdin');
}

export interface Deployment {
  /** Throw `CommandFailed` when they are not to be found. */
  url(): string;
  adminUrl(): string;
  adminKey(): string;
  jwtKey(): string;
  serverKey(): string;
  readonly jwtClaims: { readonly buyerClaim: string; readonly issuer?: string; readonly audience?: string };
}

export function findDeployment(options: DeploymentOptions): Deployment {
  const { dataDir } = options;
  const adminKey = keyGiven('--admin-key', options.adminKey, options.adminKeyFile);
  const jwtKey = keyGiven('--jwt-key', options.jwtKey, options.jwtKeyFile);
  const serverKey = keyGiven('--server-key', options.serverKey, options.serverKeyFile);
  const flags = {
    ...(dataDir !== undefined && { dataDir }),
    ...(adminKey !== undefined && { adminKey }),
    ...(jwtKey !== undefined && { jwtKey }),
    ...(serverKey !== undefined && { serverKey }),
  };
  const settings = settingsOrFail(flags, options.config);
  const directory = resolve(settings.dataDir);
  const endpoint = () => endpointIn(directory);
  return {
    url: () => options.url ?? endpoint().url,
    adminUrl: () => options.adminUrl ?? options.url ?? endpoint().adminUrl,
    adminKey: () => settings.adminKey ?? keyIn(directory, 'adminKey', '--admin-key'),
    jwtKey: () => settings.jwtKey ?? keyIn(directory, 'jwtKey', '--jwt-key'),
    serverKey: () => settings.serverKey ?? keyIn(directory, 'serverKey', '--server-key'),
    jwtClaims: {
      buyerClaim: settings.buyerClaim,
      ...(settings.jwtIssuer !== undefined && { issuer: settings.jwtIssuer }),
      ...(settings.jwtAudience !== undefined && { audience: settings.jwtAudience }),
    },
  };
}

export function settingsOrFail(flags: Parameters<typeof loadConfigHere>[0], configFile?: string): Settings {
  return configOrFail(flags, configFile).settings;
}

export function configOrFail(flags: Parameters<typeof loadConfigHere>[0], configFile?: string): LoadedConfig {
  const result = loadConfigHere(flags, configFile);
  if (result.kind === 'mistaken') throw wrongUsage(describeMistakes(result.mistakes));
  return result;
}

/** On the command line, or where nobody else can see it: in a file, or on stdin. */
function keyGiven(flag: string, key: string | undefined, file: string | undefined): string | undefined {
  if (file === undefined) return key;
  if (key !== undefined) throw wrongUsage(`${flag} and ${flag}-file say the same thing: give one of them.`);
  let text: string;
  try {
    text = readFileSync(file === '-' ? STDIN : file, 'utf8').trim();
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'an error';
    throw wrongUsage(`${flag}-file ${file} cannot be read (${code}).`);
  }
  if (text === '') throw wrongUsage(`${flag}-file ${file} is empty.`);
  return text;
}

const STDIN = 0;

function endpointIn(dataDir: string): Endpoint {
  const endpoint = readEndpoint(dataDir);
  if (endpoint) return endpoint;
  throw new CommandFailed(
    `Nothing runs on the data directory ${dataDir}. Start it with \`sluice start\`, or say where the deployment is with --url.`,
  );
}

function keyIn(dataDir: string, name: 'adminKey' | 'jwtKey' | 'serverKey', flag: string): string {
  const key = readKeys(dataDir)[name];
  if (typeof key === 'string') return key;
  throw new CommandFailed(
    `The data directory ${dataDir} has no keys. Give the key with ${flag}, or the directory with --data-dir.`,
  );
}

type CommandCall = Omit<DeploymentCall, 'bearer'>;

/** One call as an operator; whatever is not the answer asked for fails the command. */
export function callAdmin(deployment: Deployment, call: CommandCall): Promise<unknown> {
  return callAs('admin key', deployment.adminUrl(), { ...call, bearer: deployment.adminKey() });
}

/** Likewise; null when it is refused for one of these reasons. */
export function askAdmin(deployment: Deployment, call: CommandCall, expected: readonly Reason[]): Promise<unknown> {
  return callAs('admin key', deployment.adminUrl(), { ...call, bearer: deployment.adminKey() }, expected);
}

/** Likewise, as the operator's own back end. */
export function callAsServer(deployment: Deployment, call: CommandCall): Promise<unknown> {
  return callAs('server key', deployment.url(), { ...call, bearer: deployment.serverKey() });
}

async function callAs(
  keyName: string,
  url: string,
  call: DeploymentCall,
  expected: readonly Reason[] = [],
): Promise<unknown> {
  // Not above: a command that calls nobody needs no HTTP client.
  const { createDeploymentClient, NoAnswer } = await import('../bench/deployment-client.ts');
  const client = createDeploymentClient({ url, connections: 1 });
  try {
    const answer = await client.call(call);
    if (answer.kind === 'ok') return answer.body;
    if (answer.kind === 'foreign')
      throw new CommandFailed(`${url} is no Sluice: it answered with HTTP ${answer.status}.`);
    if (expected.includes(answer.reason)) return null;
    if (answer.reason === 'unauthenticated') throw new CommandFailed(`${url} does not take this ${keyName}.`);
    const status = answer.reason === 'bad_request' ? EXIT.usage : EXIT.failed;
    throw new CommandFailed(`${answer.detail} (${answer.reason})`, { status });
  } catch (error) {
    if (error instanceof NoAnswer) throw nothingThere(url, error);
    throw error;
  } finally {
    await client.close();
  }
}

function nothingThere(url: string, cause: unknown): CommandFailed {
  return new CommandFailed(
    `Nothing answers at ${url}. Start it with \`sluice start\`, or say where it is with --url.`,
    { cause },
  );
}
