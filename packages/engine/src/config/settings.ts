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

/** `perSecond/burst`, or 0 for no limit. */
const RATE = '^(0|[1-9][0-9]{0,6}/[1-9][0-9]{0,6})$';

const WANTED_RATE = 'perSecond/burst, such as 100/400, or 0 for no limit';

/** Of what is counted or waited for. */
const MAX_BOUND = 10_000_000;

const WANTED_BOUND = `a whole number from 0 (no bound) to ${MAX_BOUND}`;

/** `id:secret`, the secret at least 32 bytes of base64url. */
const TOKEN_KEY = '^[A-Za-z0-9_-]{1,32}:[A-Za-z0-9_-]{43,}$';

/** What is wrong with one of its three forms is told when it is read. */
const REDIS_URL = '^rediss?(\\+(sentinel|cluster))?://[^\\s/?]+(/[^\\s?]*)?(\\?\\S*)?$';

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
  databaseUrl: Type.Optional(
    Type.String({
      pattern: '^(postgres(ql)?|mysql|mariadb)://[^/]+/[^/]',
      ...notes({
        description: 'Database that holds the ledger, in place of the embedded one. It may hold a password.',
        wanted: 'postgres://user:password@host:port/database, or mysql://… for MariaDB',
        secret: true,
      }),
    }),
  ),
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
  redisUrl: Type.Optional(
    Type.String({
      pattern: REDIS_URL,
      ...notes({
        description:
          'Redis that is gate, queue and order feed, in place of those in this process: a server, a master behind Sentinels, or a Cluster. The database is for nothing else.',
        wanted:
          'redis://:password@host:6379/0, redis+sentinel://:password@host:26379,host:26379/mymaster/0 or redis+cluster://:password@host:6379,host:6379; rediss… for TLS',
        secret: true,
      }),
    }),
  ),
  claimDurability: Type.Enum(['fast', 'replicated', 'durable'], {
    ...notes({
      description:
        'With redisUrl: when a purchase is told that it has its unit. fast: Redis has it. replicated: a replica has it, too. durable: the ledger has it. Without redisUrl it is always durable.',
      wanted: 'one of fast, replicated, durable',
      default: 'fast',
    }),
  }),
  buyerClaim: Type.String({
    minLength: 1,
    ...notes({
      description: "Which claim of the JWT is the buyer's id.",
      wanted: 'the name of a claim',
      default: 'sub',
    }),
  }),
  jwtIssuer: Type.Optional(
    Type.String({
      minLength: 1,
      ...notes({
        description: "What a buyer's JWT must have as `iss`. Not looked at when not set.",
        wanted: 'the name of an issuer',
      }),
    }),
  ),
  jwtAudience: Type.Optional(
    Type.String({
      minLength: 1,
      ...notes({
        description: "What a buyer's JWT must have in `aud`. Not looked at when not set.",
        wanted: 'the name of an audience',
      }),
    }),
  ),
  walletUrl: Type.Optional(
    Type.String({
      pattern: '^https?://[^\\s?#]+$',
      ...notes({
        description:
          "Your wallet, for sales that take points: `/charge` and `/refund` are put behind it. With walletKey. When not set, a machine of one's own has a sample wallet.",
        wanted: 'an http or https address without a query',
      }),
    }),
  ),
  walletKey: Type.Optional(
    Type.String({
      minLength: MIN_KEY_LENGTH,
      ...notes({
        description: 'Key that the wallet is called with.',
        wanted: `at least ${MIN_KEY_LENGTH} characters`,
        secret: true,
      }),
    }),
  ),
  webhookNetworks: Type.Enum(['public', 'any'], {
    ...notes({
      description:
        'Where webhooks may go: `public` addresses over https only, or `any`, private networks and http too, for development.',
      wanted: 'one of public, any',
      default: 'public',
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
  addressRate: Type.String({
    pattern: RATE,
    ...notes({
      description: 'Calls of one address: an IPv4 address, or a /64 of IPv6.',
      wanted: WANTED_RATE,
      default: '100/400',
    }),
  }),
  accountRate: Type.String({
    pattern: RATE,
    ...notes({ description: 'Calls of one buyer.', wanted: WANTED_RATE, default: '10/40' }),
  }),
  saleRate: Type.String({
    pattern: RATE,
    ...notes({
      description: 'Tries (for tokens and purchases) for one sale, in this process.',
      wanted: WANTED_RATE,
      default: '15000/30000',
    }),
  }),
  nodeRate: Type.String({
    pattern: RATE,
    ...notes({ description: 'Tries for all sales, in this process.', wanted: WANTED_RATE, default: '20000/40000' }),
  }),
  maxConnections: Type.Integer({
    minimum: 0,
    maximum: MAX_BOUND,
    ...notes({
      description: 'Connections held at once by one listener of this process; more are closed unanswered.',
      wanted: WANTED_BOUND,
      default: 20_000,
    }),
  }),
  maxInFlight: Type.Integer({
    minimum: 0,
    maximum: MAX_BOUND,
    ...notes({
      description: 'Purchases in hand at once, in this process; more are told to come again.',
      wanted: WANTED_BOUND,
      default: 10_000,
    }),
  }),
  maxQueueEntries: Type.Integer({
    minimum: 0,
    maximum: MAX_BOUND,
    ...notes({
      description: 'Claims that may wait to be settled; while there are more, nothing is claimed.',
      wanted: WANTED_BOUND,
      default: 20_000,
    }),
  }),
  maxQueueAgeMs: Type.Integer({
    minimum: 0,
    maximum: MAX_BOUND,
    ...notes({
      description:
        'How long the oldest claim may have waited, in milliseconds; while it has longer, nothing is claimed.',
      wanted: WANTED_BOUND,
      default: 5_000,
    }),
  }),
  settleOrdersPerSecond: Type.Integer({
    minimum: 0,
    maximum: MAX_BOUND,
    ...notes({
      description: 'Orders a second that this process may bring to the ledger; what is more waits in the queue.',
      wanted: WANTED_BOUND,
      default: 0,
    }),
  }),
  settleTransactionsPerSecond: Type.Integer({
    minimum: 0,
    maximum: MAX_BOUND,
    ...notes({
      description: 'Settlements a second that this process may begin; fewer make larger groups.',
      wanted: WANTED_BOUND,
      default: 0,
    }),
  }),
  settleTargetMs: Type.Integer({
    minimum: 0,
    maximum: MAX_BOUND,
    ...notes({
      description:
        'What a settlement may take, in milliseconds; while they take longer, groups get smaller and settlement rests between them.',
      wanted: WANTED_BOUND,
      default: 1_000,
    }),
  }),
  maxLoopLagMs: Type.Integer({
    minimum: 0,
    maximum: MAX_BOUND,
    ...notes({
      description: 'How late the event loop may be, in milliseconds; while it is later, tries are told to come again.',
      wanted: WANTED_BOUND,
      default: 250,
    }),
  }),
  saleSegments: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 64,
      ...notes({
        description:
          'Parts that a new sale is divided into when it does not say. When not set: 1 with a gate in memory; in Redis one for each 256 units, 4 at the most.',
        wanted: 'a whole number from 1 to 64',
      }),
    }),
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

/** What is read of a schema besides its notes. */
interface SettingShape {
  readonly type?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly enum?: readonly unknown[];
}

export function schemaOf(key: SettingKey): TSchema & SettingNotes & SettingShape {
  const schema: TSchema = SETTINGS.properties[key];
  return schema as TSchema & SettingNotes & SettingShape;
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
