/** The settings as options of commands that a deployment is started or looked at with: one for each, but none for a secret. */
import { type Command, Option } from 'commander';
import { factsOf } from '../config/describe.ts';
import { SETTING_KEYS, type SettingKey } from '../config/settings.ts';

export type SettingOptions = Partial<Record<SettingKey, string>> & { readonly config?: string };

export function withSettingOptions(command: Command): Command {
  for (const key of SETTING_KEYS) {
    const { flag, env, description, default: value } = factsOf(key);
    const fallback = value === null ? '' : `; default: ${value}`;
    if (flag !== null) command.addOption(new Option(`${flag} <value>`, `${description} (${env}${fallback})`));
  }
  return command.option('--config <file>', 'configuration file (default: sluice.config.json)');
}
