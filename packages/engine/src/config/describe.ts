/** The configuration as it can be shown: every setting, its names, its value unless secret, and where that came from. */
import type { LoadedConfig, SourceName } from './load.ts';
import { envNameOf, flagNameOf, SETTING_KEYS, type SettingKey, schemaOf } from './settings.ts';

export interface DescribedSetting {
  readonly key: SettingKey;
  readonly env: string;
  readonly flag: string;
  readonly description: string;
  readonly secret: boolean;
  /** `null`: not set. A secret that is set reads `(secret)`. */
  readonly value: unknown;
  readonly source: SourceName | null;
}

export function describeConfig({ settings, sources }: LoadedConfig): readonly DescribedSetting[] {
  return SETTING_KEYS.map((key) => {
    const { description, secret = false } = schemaOf(key);
    const value = settings[key] ?? null;
    return {
      ...{ key, env: envNameOf(key), flag: flagNameOf(key), description, secret },
      value: secret && value !== null ? '(secret)' : value,
      source: sources.get(key) ?? null,
    };
  });
}
