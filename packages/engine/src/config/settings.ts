/**
 * Every setting of Sluice, once: its type, what it is for, its default, and whether it must never be shown. Names in files are
 * the keys below; the environment and the command line derive theirs from them (`dataDir`, SLUICE_DATA_DIR, --data-dir).
 */
import { isIP } from 'node:net';
import Type, { type Static, type TSchema } from 'typebox';

/** What a setting says of itself beside its type. */
interface SettingNotes {
  readonly description: string;
  /** Completes "wanted …". */
  readonly wanted: string;
  readonly secret?: true;
  readonly default?: unknown;
}

/** HS256 is as strong as its key, and RFC 7518 asks for one of at least the hash's length. */
export const MIN_KEY_LENGTH = 32;

/** `id:secret`, the secret at least 32 bytes of base64url. */
const TOKEN_KEY = '^[A-Za-z0-9_-]{1,32}:[A-Za-z0-9_-]{43,}$';

export const SETTINGS = Type.Object({
  port: Type.Integer({
    minimum: 0,
    maximum: 65_535,
    ...notes({
      description: 'Port for buyers, and for operators when adminPort is not set. 0 takes any free one.',
      wanted: 'a whole number from 0 to 65535',
      default: 8460,
    }),
  }),
  adminPort: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 65_535,
      ...notes({
        description: 'A listener of its own for operators.',
        wanted: 'a whole number from 0 to 65535',
      }),
    }),
  ),
  host: Type.String({
    minLength: 1,
    ...notes({
      description: "Address to listen on. Anything but loopback turns the sample page's test identity off.",
      wanted: 'a host name or an address',
      default: '127.0.0.1',
    }),
  }),
  dataDir: Type.String({
    minLength: 1,
    ...notes({
      description: 'Where the embedded ledger and generated keys are kept.',
      wanted: 'a directory',
      default: '.sluice',
    }),
  }),
  jwtKey: Type.Optional(
    Type.String({
      minLength: MIN_KEY_LENGTH,
      ...notes({
        description: "Key that buyers' JWTs are signed with (HS256). Generated when not set.",
        wanted: `at least ${MIN_KEY_LENGTH} characters`,
        secret: true,
      }),
    }),
  ),
  adminKey: Type.Optional(
    Type.String({
      minLength: MIN_KEY_LENGTH,
      ...notes({
        description: 'Key that operators carry. Generated when not set.',
        wanted: `at least ${MIN_KEY_LENGTH} characters`,
        secret: true,
      }),
    }),
  ),
  serverKey: Type.Optional(
    Type.String({
      minLength: MIN_KEY_LENGTH,
      ...notes({
        description: 'Key that your back end carries: payments and bulk purchases. Generated when not set.',
        wanted: `at least ${MIN_KEY_LENGTH} characters`,
        secret: true,
      }),
    }),
  ),
  tokenKeys: Type.Optional(
    Type.Refine(
      Type.Array(Type.String({ pattern: TOKEN_KEY }), {
        minItems: 1,
        ...notes({
          description: 'Keys of purchase tokens and receipts: the first signs, all verify. Generated when not set.',
          wanted: 'a list of id:secret, ids all different, each secret at least 32 bytes as base64url (43 characters)',
          secret: true,
        }),
      }),
      (keys) => new Set(keys.map((key) => key.split(':', 1)[0])).size === keys.length,
    ),
  ),
  buyerClaim: Type.String({
    minLength: 1,
    ...notes({
      description: "Which claim of the JWT is the buyer's id.",
      wanted: 'the name of a claim',
      default: 'sub',
    }),
  }),
  trustedProxies: Type.Optional(
    Type.Refine(
      Type.Array(Type.String(), {
        ...notes({
          description:
            'Whose X-Forwarded-For is believed. Loopback when not set and the host is loopback, else nobody.',
          wanted: 'a list of addresses or networks, such as 10.0.0.0/8 or ::1',
        }),
      }),
      (networks) => networks.every(isNetwork),
    ),
  ),
  logLevel: Type.Enum(['debug', 'info', 'warn', 'error'], {
    ...notes({ description: 'How much is logged.', wanted: 'one of debug, info, warn, error', default: 'info' }),
  }),
});

export type Settings = Static<typeof SETTINGS>;
export type SettingKey = keyof Settings;

export const SETTING_KEYS = Object.keys(SETTINGS.properties).filter(isSettingKey);

export function isSettingKey(name: string): name is SettingKey {
  return Object.hasOwn(SETTINGS.properties, name);
}

export function schemaOf(key: SettingKey): TSchema & SettingNotes {
  const schema: TSchema = SETTINGS.properties[key];
  return schema as TSchema & SettingNotes;
}

export const ENV_PREFIX = 'SLUICE_';

/** dataDir -> SLUICE_DATA_DIR */
export function envNameOf(key: SettingKey): string {
  return `${ENV_PREFIX}${key.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

/** dataDir -> --data-dir */
export function flagNameOf(key: SettingKey): string {
  return `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

function isNetwork(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}

/** Keeps the notes typed: JSON Schema itself takes any keyword. */
function notes<Notes extends SettingNotes>(given: Notes): Notes {
  return given;
}
