/** `sluice config`: what the settings are, where each came from, and what each means. */
import type { Command } from 'commander';
import { type DescribedSetting, describeConfig, factsOf, findSetting } from '../../config/describe.ts';
import { wrongUsage } from '../command-failed.ts';
import { configOrFail } from '../deployment.ts';
import { printJson, printTable, printTitle, type Row } from '../print.ts';
import { type SettingOptions, withSettingOptions } from '../setting-options.ts';

const PRINT_HELP = `
Takes the same options as \`sluice start\`, and says what that would run with. Secrets are never shown, only whether they are set.

Examples:
  $ sluice config print
  $ SLUICE_PORT=9000 sluice config print --json
`;

const EXPLAIN_HELP = `
The setting may be given as in a file (dataDir), in the environment (SLUICE_DATA_DIR) or on the command line (data-dir).

Example:
  $ sluice config explain addressRate
`;

export function addConfig(program: Command): void {
  const config = program.command('config').description('show the settings, and explain them');
  const print = config.command('print').description('print every setting, its value, and where it came from');
  withSettingOptions(print)
    .option('--json', 'print one JSON document')
    .addHelpText('after', PRINT_HELP)
    .action(printConfig);
  config
    .command('explain <setting>')
    .description('say what a setting does, what it takes, its default and its names')
    .option('--json', 'print one JSON document')
    .addHelpText('after', EXPLAIN_HELP)
    .action(explainSetting);
}

function printConfig({ config, json, ...flags }: SettingOptions & { readonly json?: true }): void {
  const described = describeConfig(configOrFail(flags, config));
  if (json)
    printJson({ settings: described.map(({ key, value, source, secret }) => ({ key, value, source, secret })) });
  else printTable(described.map(rowOf));
}

function rowOf({ key, value, source }: DescribedSetting): Row {
  return [key, textOf(value, '-'), source ?? 'not set'];
}

async function explainSetting(name: string, { json }: { readonly json?: true }): Promise<void> {
  const found = findSetting(name);
  if (!('key' in found)) throw wrongUsage(`There is no setting ${name}. ${await hintFor(name, found.near)}`);
  const facts = factsOf(found.key);
  if (json) {
    printJson(facts);
    return;
  }
  printTitle(facts.key);
  console.log(`  ${facts.description}\n`);
  printTable([
    ['type', facts.type],
    ['takes', facts.takes],
    ['default', textOf(facts.default, 'none')],
    ['environment', facts.env],
    ['command line', facts.flag ?? 'no: it is a secret'],
    ['file', `${facts.key} in sluice.config.json`],
  ]);
}

async function hintFor(name: string, near: readonly string[]): Promise<string> {
  if (near.length > 0) return `Did you mean ${near.join(', or ')}?`;
  // Not above: every command would wait for the schemas.
  const { CREATE_SALE } = await import('@sluice/contract');
  const field = Object.keys(CREATE_SALE.properties).find((key) => key.toLowerCase() === name.toLowerCase());
  if (field === undefined) return '`sluice config print` lists them.';
  return `Each sale has a ${field} of its own: \`sluice sale create --help\`.`;
}

function textOf(value: unknown, nothing: string): string {
  if (value === null) return nothing;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
