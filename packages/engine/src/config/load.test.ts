import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { describeConfig, factsOf, findSetting } from './describe.ts';
import { type ConfigSources, loadConfig } from './load.ts';
import { describeMistakes } from './mistake.ts';
import { envNameOf, SETTING_KEYS, SETTINGS, schemaOf } from './settings.ts';

const NOTHING: ConfigSources = { env: {}, file: null, flags: {} };
const fileOf = (content: unknown) => ({ name: 'sluice.config.json', text: JSON.stringify(content) });
const RATES = { addressRate: '100/400', accountRate: '10/40', saleRate: '15000/30000', nodeRate: '20000/40000' };
const BOUNDS = {
  claimDurability: 'fast',
  ...{ settleOrdersPerSecond: 0, settleTransactionsPerSecond: 0, settleTargetMs: 1_000, maxConnections: 20_000 },
  ...{ maxInFlight: 10_000, maxQueueEntries: 20_000, maxQueueAgeMs: 5_000, maxLoopLagMs: 250 },
};
const SECRET = 'a-secret-that-nobody-may-ever-see-in-any-message';

function load(sources: Partial<ConfigSources>) {
  return loadConfig({ ...NOTHING, ...sources });
}

function mistakesOf(sources: Partial<ConfigSources>) {
  const result = load(sources);
  return result.kind === 'mistaken' ? result.mistakes : [];
}

function settingsOf(sources: Partial<ConfigSources>) {
  const result = load(sources);
  if (result.kind === 'mistaken') throw new Error(describeMistakes(result.mistakes));
  return result.settings;
}

describe('loading the configuration', () => {
  test('needs nothing', () => {
    expect(settingsOf({})).toEqual({
      ...{
        port: 8460,
        host: '127.0.0.1',
        dataDir: '.sluice',
        buyerClaim: 'sub',
        logLevel: 'info',
        webhookNetworks: 'public',
        ...RATES,
        ...BOUNDS,
      },
    });
  });

  test('takes flags over environment over file over defaults', () => {
    const file = fileOf({ port: 1, host: 'from-file', dataDir: 'from-file', trustedProxies: ['10.0.0.0/8'] });
    const env = { SLUICE_PORT: '2', SLUICE_HOST: 'from-env', SLUICE_LOG_LEVEL: '' };
    expect(settingsOf({ file, env, flags: { port: '3' } })).toEqual({
      ...{ port: 3, host: 'from-env', dataDir: 'from-file', trustedProxies: ['10.0.0.0/8'] },
      ...{ buyerClaim: 'sub', logLevel: 'info', webhookNetworks: 'public', ...RATES, ...BOUNDS },
    });
  });

  test('reads lists from the environment', () => {
    const key = 'A'.repeat(43);
    const settings = settingsOf({
      env: { SLUICE_TRUSTED_PROXIES: '10.0.0.1, ::1/128', SLUICE_TOKEN_KEYS: `a:${key},b:${key}` },
    });
    expect(settings.trustedProxies).toEqual(['10.0.0.1', '::1/128']);
    expect(settings.tokenKeys).toEqual([`a:${key}`, `b:${key}`]);
  });

  test('tells every mistake at once, each with where, got and wanted', () => {
    const key = 'A'.repeat(43);
    const file = fileOf({ port: 'eighty', datadir: 'x', tokenKeys: [`a:${key}`, `a:${key}`], logLevel: 'loud' });
    const env = { SLUICE_PROT: '1', SLUICE_ADMIN_PORT: '65536', SLUICE_TRUSTED_PROXIES: '10.0.0.0/40', OTHER: 'x' };
    const mistakes = mistakesOf({ file, env, flags: { port: '1.5', host: '' } });
    expect(mistakes.map(({ where, got }) => `${where} | ${got}`)).toEqual([
      'port (sluice.config.json) | "eighty"',
      'datadir (sluice.config.json) | a name that is not known',
      'tokenKeys (sluice.config.json) | a list of 2',
      'logLevel (sluice.config.json) | "loud"',
      'SLUICE_PROT (environment) | a name that is not known',
      'SLUICE_ADMIN_PORT (environment) | "65536"'.replace(/"/g, ''),
      'SLUICE_TRUSTED_PROXIES (environment) | ["10.0.0.0/40"]',
      '--port | "1.5"',
      '--host | ""',
    ]);
    expect(mistakes.find(({ where }) => where.startsWith('datadir'))?.wanted).toBe('dataDir, perhaps');
    expect(mistakes.find(({ where }) => where.startsWith('SLUICE_PROT'))?.wanted).toBe('SLUICE_PORT, perhaps');
    expect(mistakes.find(({ where }) => where === '--port')?.wanted).toBe('a whole number from 0 to 65535');
    expect(describeMistakes(mistakes)).toContain('SLUICE_ADMIN_PORT (environment): wanted at most 65535, got 65536');
    expect(describeMistakes(mistakesOf({ flags: { maxLoopLagMs: '-1' } }))).toContain('wanted at least 0, got -1');
  });

  test('finds one mistake for every setting that is wrong, wherever it is (property)', () => {
    const wrong = fc.record({
      file: fc.uniqueArray(fc.constantFrom(...SETTING_KEYS)),
      env: fc.uniqueArray(
        fc.constantFrom('port', 'adminPort', 'trustedProxies', 'logLevel', 'jwtKey', 'tokenKeys' as const),
      ),
      unknown: fc.integer({ min: 0, max: 3 }),
    });
    fc.assert(
      fc.property(wrong, ({ file, env, unknown }) => {
        const unknownNames = Array.from({ length: unknown }, (_, index) => [`SLUICE_X${index}`, 'x']);
        const mistakes = mistakesOf({
          file: fileOf(Object.fromEntries(file.map((key) => [key, { not: 'this' }]))),
          env: Object.fromEntries([
            ...env.map((key) => [envNameOf(key as (typeof SETTING_KEYS)[number]), '-']),
            ...unknownNames,
          ]),
        });
        expect(mistakes).toHaveLength(file.length + env.length + unknown);
        for (const { where, got, wanted } of mistakes) expect([where, got, wanted]).not.toContain('');
      }),
    );
  });

  test('never shows a secret', () => {
    const short = SECRET.slice(0, 20);
    const sources = {
      file: fileOf({ jwtKey: [SECRET], adminKey: short, adminkey: SECRET }),
      env: { SLUICE_TOKEN_KEYS: SECRET, SLUICE_JWT_KEY: short, SLUICE_JWT_KY: SECRET },
    };
    const mistakes = mistakesOf(sources);
    expect(mistakes).toHaveLength(6);
    expect(describeMistakes(mistakes)).not.toContain(short);
    const broken = mistakesOf({ file: { name: 'f', text: `{\n"jwtKey": "${SECRET}",\n` } });
    expect(describeMistakes(broken)).not.toContain('secret-that');
    const loaded = load({ env: { SLUICE_JWT_KEY: SECRET } });
    expect(loaded.kind === 'loaded' && JSON.stringify(describeConfig(loaded))).not.toContain(SECRET);
  });

  test('knows what Kubernetes sets for a Service called sluice', () => {
    const mistakes = mistakesOf({ env: { SLUICE_PORT: 'tcp://10.0.0.1:8460', SLUICE_SERVICE_HOST: '10.0.0.1' } });
    expect(mistakes).toHaveLength(2);
    for (const { wanted } of mistakes) expect(wanted).toContain('enableServiceLinks: false');
  });

  test('tells a file that is not an object', () => {
    expect(mistakesOf({ file: { name: 'f.json', text: '[]' } })[0]?.got).toBe('JSON that is not an object');
    expect(mistakesOf({ file: { name: 'f.json', text: '{\n\n"port": 1,,}' } })[0]?.got).toBe(
      'text that is not JSON (line 3)',
    );
    expect(mistakesOf({ file: { name: 'f.json', text: '{"__proto__": {}, "toString": 1}' } })).toHaveLength(2);
  });
});

describe('a setting', () => {
  test('is found by any of its names, and by one that is nearly right', () => {
    for (const name of ['dataDir', 'SLUICE_DATA_DIR', '--data-dir', 'data-dir'])
      expect(findSetting(name)).toEqual({ key: 'dataDir' });
    for (const name of ['datadir', 'SLUICE_DATADIR', 'data-dri'])
      expect(findSetting(name)).toEqual({ near: ['dataDir'] });
    expect(findSetting('constructor')).toEqual({ near: [] });
  });

  test.each([
    ['ACCOUNTRATE', ['accountRate']],
    ['sluice_max_queue_age', ['maxQueueAgeMs']],
    ['queueAge', ['maxQueueAgeMs']],
    ['queueage', ['maxQueueAgeMs']],
    ['queue', ['maxQueueEntries', 'maxQueueAgeMs']],
    ['SLUICE_REDIS', ['redisUrl']],
    ['redisAddress', ['redisUrl', 'addressRate']],
    ['lag-of-the-loop', ['maxLoopLagMs']],
    ['rate', ['addressRate', 'accountRate', 'saleRate', 'nodeRate']],
    ['ms', []],
    ['SLUICE_', []],
    ['', []],
  ])('names those that were meant by %j: %j', (name, near) => {
    expect(findSetting(name)).toEqual({ near });
  });

  test('says what it takes, and has no option when it is a secret', () => {
    expect(factsOf('port')).toMatchObject({
      type: 'whole number',
      takes: 'a whole number from 0 to 65535',
      default: 8460,
    });
    expect(factsOf('trustedProxies').type).toMatch(/^list/);
    expect(factsOf('jwtKey')).toMatchObject({ flag: null, secret: true, default: null });
  });
});

describe('describing the configuration', () => {
  test('names every setting, its value and where it came from', () => {
    const loaded = load({ env: { SLUICE_PORT: '0' }, flags: { dataDir: 'here' } });
    if (loaded.kind !== 'loaded') throw new Error('not loaded');
    const described = describeConfig(loaded);
    expect(described.map(({ key }) => key)).toEqual(Object.keys(SETTINGS.properties));
    expect(described.find(({ key }) => key === 'port')).toMatchObject({
      value: 0,
      source: 'environment',
      env: 'SLUICE_PORT',
    });
    expect(described.find(({ key }) => key === 'dataDir')).toMatchObject({
      source: 'command line',
      flag: '--data-dir',
    });
    expect(described.find(({ key }) => key === 'jwtKey')).toMatchObject({ value: null, source: null, secret: true });
  });

  test('every setting says what it is for', () => {
    for (const key of SETTING_KEYS) expect(schemaOf(key).description.length).toBeGreaterThan(10);
  });
});
