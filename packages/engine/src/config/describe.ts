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

/** The setting that a name means, in any of its spellings; else those that were probably meant. */
export function findSetting(name: string): { readonly key: SettingKey } | { readonly near: readonly SettingKey[] } {
  const spelt = (key: SettingKey) => [key, envNameOf(key), flagNameOf(key), flagNameOf(key).slice(2)];
  const key = SETTING_KEYS.find((candidate) => spelt(candidate).includes(name));
  if (key) return { key };
  const slip = nearestName(name, SETTING_KEYS.flatMap(spelt));
  if (slip !== null) return { near: SETTING_KEYS.filter((candidate) => spelt(candidate).includes(slip)) };
  return { near: withWordsOf(name) };
}

/** More would be a list, and there is a command for that. */
const MOST_NEAR = 5;

/** In a shorter word there is no meaning: every second setting ends with a unit. */
const MIN_WORD_LENGTH = 3;

/** Those that have most of its words, or all of it somewhere in their names. */
function withWordsOf(name: string): readonly SettingKey[] {
  const words = wordsOf(name);
  const squashed = words.join('');
  const scored = SETTING_KEYS.map((key) => {
    const own = wordsOf(key);
    const isPart = squashed.length >= MIN_WORD_LENGTH && own.join('').includes(squashed);
    return { key, score: isPart ? words.length + 1 : words.filter((word) => own.includes(word)).length };
  });
  const found = scored.filter(({ score }) => score > 0).sort((a, b) => b.score - a.score);
  return found
    .filter(({ score }) => score === found[0]?.score)
    .map(({ key }) => key)
    .slice(0, MOST_NEAR);
}

function wordsOf(name: string): readonly string[] {
  const parts = name
    .replace(/^SLUICE_/i, '')
    .replaceAll(/([a-z])(?=[A-Z])/g, '$1-')
    .toLowerCase()
    .split(/[^a-z]+/);
  return parts.filter((part) => part.length >= MIN_WORD_LENGTH);
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
