/** The configuration as it can be shown: every setting, its names, what it takes, its value unless secret, and where that came from. */
import type { LoadedConfig, SourceName } from './load.ts';
import { nearestName } from './nearest-name.ts';
import { envNameOf, flagNameOf, SETTING_KEYS, type SettingKey, schemaOf } from './settings.ts';

export interface SettingFacts {
  readonly key: SettingKey;
  readonly env: string;
  /** Of `sluice start`; null for a secret, which no process list may show. */
  readonly flag: string | null;
  readonly description: string;
  readonly type: string;
  /** What it takes, as a mistake would say it. */
  readonly takes: string;
  readonly secret: boolean;
  /** Null: it has none. */
  readonly default: unknown;
}

export interface DescribedSetting extends SettingFacts {
  /** `null`: not set. A secret that is set reads `(secret)`. */
  readonly value: unknown;
  readonly source: SourceName | null;
}

export function describeConfig({ settings, sources }: LoadedConfig): readonly DescribedSetting[] {
  return SETTING_KEYS.map((key) => {
    const facts = factsOf(key);
    const value = settings[key] ?? null;
    return {
      ...facts,
      value: facts.secret && value !== null ? '(secret)' : value,
      source: sources.get(key) ?? null,
    };
  });
}

export function factsOf(key: SettingKey): SettingFacts {
  const schema = schemaOf(key);
  const { description, wanted, secret = false, default: fallback = null } = schema;
  return {
    ...{ key, env: envNameOf(key), flag: secret ? null : flagNameOf(key), description },
    ...{ type: typeOf(schema), takes: wanted, secret, default: fallback },
  };
}

/** The setting that a name means, in any of its spellings; else the key that was probably meant. */
export function findSetting(name: string): { readonly key: SettingKey } | { readonly near: SettingKey | null } {
  const spelt = (key: SettingKey) => [key, envNameOf(key), flagNameOf(key), flagNameOf(key).slice(2)];
  const key = SETTING_KEYS.find((candidate) => spelt(candidate).includes(name));
  if (key) return { key };
  const near = nearestName(name, SETTING_KEYS.flatMap(spelt));
  return { near: SETTING_KEYS.find((candidate) => near !== null && spelt(candidate).includes(near)) ?? null };
}

function typeOf(schema: { readonly type?: unknown; readonly enum?: unknown }): string {
  if (schema.enum !== undefined) return 'one of a list';
  switch (schema.type) {
    case 'integer':
      return 'whole number';
    case 'array':
      return 'list (in the environment and on the command line: separated by commas)';
    default:
      return 'text';
  }
}
