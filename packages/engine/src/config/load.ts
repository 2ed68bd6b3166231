/**
 * Loads the configuration: defaults, then the file, then the environment, then the command line; the later wins. Pure. It
 * promises to find every mistake at once, those in values that a later source overrides, too.
 */
import Value from 'typebox/value';
import type { Mistake } from './mistake.ts';
import { nearestName } from './nearest-name.ts';
import {
  ENV_PREFIX,
  envNameOf,
  flagNameOf,
  isSettingKey,
  SETTING_KEYS,
  type SettingKey,
  type Settings,
  schemaOf,
} from './settings.ts';

export interface ConfigSources {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Null: there is no file. */
  readonly file: ConfigFile | null;
  /** By key of the setting, as text. */
  readonly flags: Readonly<Partial<Record<SettingKey, string>>>;
}

export interface ConfigFile {
  readonly name: string;
  readonly text: string;
}

export type SourceName = 'default' | 'file' | 'environment' | 'command line';

export type LoadedConfig = {
  readonly kind: 'loaded';
  readonly settings: Settings;
  /** Where each value that is set came from. */
  readonly sources: ReadonlyMap<SettingKey, SourceName>;
};

export type ConfigResult = LoadedConfig | { readonly kind: 'mistaken'; readonly mistakes: readonly Mistake[] };

/** A value somewhere, or a mistake there. */
type Found =
  | { readonly source: SourceName; readonly key: SettingKey; readonly where: string; readonly value: unknown }
  | { readonly source: SourceName; readonly mistake: Mistake };

export function loadConfig(sources: ConfigSources): ConfigResult {
  const found = [
    ...fromDefaults(),
    ...fromFile(sources.file),
    ...fromEnvironment(sources.env),
    ...fromFlags(sources.flags),
  ];
  const mistakes: Mistake[] = [];
  const values = new Map<SettingKey, unknown>();
  const cameFrom = new Map<SettingKey, SourceName>();

  for (const item of found) {
    const mistake = 'mistake' in item ? item.mistake : mistakeIn(item.key, item.where, item.value);
    if (mistake) mistakes.push(mistake);
    else if ('key' in item) {
      values.set(item.key, item.value);
      cameFrom.set(item.key, item.source);
    }
  }
  mistakes.push(...halfWallet(values));
  if (mistakes.length > 0) return { kind: 'mistaken', mistakes };
  return { kind: 'loaded', settings: Object.fromEntries(values) as Settings, sources: cameFrom };
}

/** An address without its key, or a key for nothing: the one that is missing was meant to be there. */
function halfWallet(values: ReadonlyMap<string, unknown>): readonly Mistake[] {
  const pair: readonly SettingKey[] = ['walletUrl', 'walletKey'];
  const missing = pair.filter((key) => !values.has(key));
  if (missing.length !== 1) return [];
  return missing.map((key) => ({ where: key, got: 'nothing', wanted: `${schemaOf(key).wanted}: both or neither` }));
}

function fromDefaults(): readonly Found[] {
  return SETTING_KEYS.flatMap((key) => {
    const value = schemaOf(key).default;
    return value === undefined ? [] : [{ source: 'default' as const, key, where: key, value }];
  });
}

function fromFile(file: ConfigFile | null): readonly Found[] {
  if (!file) return [];
  const source = 'file';
  let content: unknown;
  try {
    content = JSON.parse(file.text);
  } catch (error) {
    // The parser's own words quote the file, and the file may hold keys.
    const got = `text that is not JSON${positionIn(file.text, error)}`;
    return [{ source, mistake: { where: file.name, got, wanted: 'one JSON object' } }];
  }
  if (typeof content !== 'object' || content === null || Array.isArray(content)) {
    return [{ source, mistake: { where: file.name, got: 'JSON that is not an object', wanted: 'one JSON object' } }];
  }
  return Object.entries(content).map(([name, value]) => {
    const where = `${name} (${file.name})`;
    if (isSettingKey(name)) return { source, key: name, where, value };
    return { source, mistake: unknownName(where, name, SETTING_KEYS) };
  });
}

/** A variable that is set to nothing counts as not set: that is how compose files pass on what they do not have. */
function fromEnvironment(env: ConfigSources['env']): readonly Found[] {
  const keyOf = new Map(SETTING_KEYS.map((key) => [envNameOf(key), key]));
  const source = 'environment';
  return Object.entries(env).flatMap(([name, text]): readonly Found[] => {
    if (!name.startsWith(ENV_PREFIX) || text === undefined || text === '') return [];
    const where = `${name} (environment)`;
    if (isServiceLink(name, text)) return [{ source, mistake: serviceLink(where) }];
    const key = keyOf.get(name);
    if (key) return [{ source, key, where, value: meaningOf(key, text) }];
    return [{ source, mistake: unknownName(where, name, [...keyOf.keys()]) }];
  });
}

function fromFlags(flags: ConfigSources['flags']): readonly Found[] {
  return SETTING_KEYS.flatMap((key) => {
    const text = flags[key];
    if (text === undefined) return [];
    return [{ source: 'command line' as const, key, where: flagNameOf(key), value: meaningOf(key, text) }];
  });
}

/** What a text means for a setting; a text that means nothing stays as it is, and is a mistake like any other. */
function meaningOf(key: SettingKey, text: string): unknown {
  const { type } = schemaOf(key);
  if (type === 'integer') return /^-?\d+$/.test(text) ? Number(text) : text;
  if (type === 'array')
    return text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '');
  return text;
}

function mistakeIn(key: SettingKey, where: string, value: unknown): Mistake | null {
  const schema = schemaOf(key);
  if (Value.Check(schema, value)) return null;
  return {
    where,
    got: schema.secret ? masked(value) : shown(value),
    wanted: boundPassed(schema, value) ?? schema.wanted,
  };
}

/** A number that is only too large or too small is told the bound that it passes. */
function boundPassed(schema: { readonly minimum?: number; readonly maximum?: number }, value: unknown): string | null {
  if (typeof value !== 'number' || !Number.isInteger(value)) return null;
  if (schema.maximum !== undefined && value > schema.maximum) return `at most ${schema.maximum}`;
  if (schema.minimum !== undefined && value < schema.minimum) return `at least ${schema.minimum}`;
  return null;
}

function masked(value: unknown): string {
  if (typeof value === 'string') return `${value.length} characters`;
  return Array.isArray(value) ? `a list of ${value.length}` : `a ${typeof value}`;
}

/** Long enough to know it again. */
const SHOWN_LENGTH = 80;

function shown(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length <= SHOWN_LENGTH ? text : `${text.slice(0, SHOWN_LENGTH)}…`;
}

function unknownName(where: string, name: string, known: readonly string[]): Mistake {
  const near = nearestName(name, known);
  const wanted = near ? `${near}, perhaps` : `one of ${known.join(', ')}`;
  return { where, got: 'a name that is not known', wanted };
}

/** Kubernetes tells every pod of a Service called `sluice` in variables that begin as ours do. */
function isServiceLink(name: string, text: string): boolean {
  return /^(tcp|udp|sctp):\/\//.test(text) || /_SERVICE_(HOST|PORT)(_|$)|_PORT_\d+_(TCP|UDP|SCTP)(_|$)/.test(name);
}

function serviceLink(where: string): Mistake {
  const wanted = '`enableServiceLinks: false` in the pod, or another name for the Service';
  return { where, got: 'what Kubernetes sets for a Service called sluice', wanted };
}

function positionIn(text: string, error: unknown): string {
  const position = error instanceof Error ? /at position (\d+)/.exec(error.message)?.[1] : undefined;
  return position === undefined ? '' : ` (line ${text.slice(0, Number(position)).split('\n').length})`;
}
