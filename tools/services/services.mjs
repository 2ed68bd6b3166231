/**
 * The servers that tests run against: which packages they are, how an empty data directory is made, how they start. Each
 * entry is data and two small functions; what is the same for all is in serve.mjs.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Of a database's buffers: what a test needs, and what the smallest server has that anybody would sell from. */
const TEST_MEMORY = '64MB';
const DURABLE_MEMORY = '512MB';

const PG_BIN = 'usr/lib/postgresql/15/bin';

export const SERVICES = {
  postgres: {
    packages: ['postgresql-15'],
    binaries: [`${PG_BIN}/postgres`, `${PG_BIN}/initdb`],
    makeData(folder, dataDir) {
      const how = ['--username=sluice', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync'];
      return { command: join(folder, PG_BIN, 'initdb'), args: [`--pgdata=${dataDir}`, ...how] };
    },
    start(folder, { dataDir, port, isDurable, tlsDir }) {
      const sync = isDurable ? 'on' : 'off';
      const settings = {
        ...{ listen_addresses: '127.0.0.1', port, unix_socket_directories: '', jit: 'off', max_connections: 200 },
        ...(tlsDir && {
          ...{ ssl: 'on', ssl_cert_file: join(tlsDir, 'server.crt'), ssl_key_file: join(tlsDir, 'server.key') },
        }),
        ...{ fsync: sync, full_page_writes: sync, log_min_messages: 'warning' },
        shared_buffers: isDurable ? DURABLE_MEMORY : TEST_MEMORY,
      };
      const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
      return { command: join(folder, PG_BIN, 'postgres'), args: ['-D', dataDir, ...flags] };
    },
    isReady: /database system is ready to accept connections/,
    /** Children end at once, nothing is written back: the data goes next. */
    stopSignal: 'SIGQUIT',
    urlOf: (port) => `postgres://sluice@127.0.0.1:${port}/postgres`,
  },

  /** A pooler in transaction mode before the server at `--before=port`. */
  pgbouncer: {
    packages: ['pgbouncer'],
    binaries: ['usr/sbin/pgbouncer'],
    makeData: () => ({ command: 'true', args: [] }),
    files: ({ port, before }) => ({
      'pgbouncer.ini': [
        ...['[databases]', `* = host=127.0.0.1 port=${before} user=sluice`, '[pgbouncer]'],
        ...['listen_addr = 127.0.0.1', `listen_port = ${port}`, 'unix_socket_dir =', 'auth_type = any'],
        ...['pool_mode = transaction', 'default_pool_size = 6', 'max_client_conn = 200', ''],
      ].join('\n'),
    }),
    start: (folder, { dataDir }) => ({
      command: join(folder, 'usr/sbin/pgbouncer'),
      args: [join(dataDir, 'pgbouncer.ini')],
    }),
    isReady: /process up/,
    stopSignal: 'SIGKILL',
    urlOf: (port) => `postgres://sluice@127.0.0.1:${port}/postgres`,
  },

  mariadb: {
    packages: ['mariadb-server-core'],
    binaries: ['usr/sbin/mariadbd'],
    makeData(folder, dataDir) {
      const share = join(folder, 'usr/share/mysql');
      const files = ['mysql_system_tables', 'mysql_performance_tables', 'mysql_system_tables_data'];
      const script = files.map((name) => readFileSync(join(share, `${name}.sql`), 'utf8')).join('\n');
      return {
        command: join(folder, 'usr/sbin/mariadbd'),
        args: [...mariadbHome(folder, dataDir), '--bootstrap', '--skip-grant-tables'],
        // A statement ends with its line.
        input: `create database mysql;\nuse mysql;\nset @auth_root_socket = null;\n${script}\n`,
      };
    },
    start(folder, { dataDir, port, isDurable, tlsDir }) {
      return {
        command: join(folder, 'usr/sbin/mariadbd'),
        args: [
          ...mariadbHome(folder, dataDir),
          ...['--bind-address=127.0.0.1', `--port=${port}`, `--socket=${join(dataDir, 'sock')}`],
          ...['--skip-networking=0', '--skip-name-resolve', '--max-connections=200'],
          `--innodb-buffer-pool-size=${(isDurable ? DURABLE_MEMORY : TEST_MEMORY).replace('B', '')}`,
          // Whoever connects is let in: it listens to this machine only.
          '--skip-grant-tables',
          ...(tlsDir ? [`--ssl-cert=${join(tlsDir, 'server.crt')}`, `--ssl-key=${join(tlsDir, 'server.key')}`] : []),
          `--innodb-flush-log-at-trx-commit=${isDurable ? 1 : 0}`,
        ],
      };
    },
    isReady: /ready for connections/,
    stopSignal: 'SIGKILL',
    urlOf: (port) => `mysql://root@127.0.0.1:${port}/mysql`,
  },

  redis: {
    packages: ['redis-server', 'redis-tools'],
    binaries: ['usr/bin/redis-server', 'usr/bin/redis-benchmark'],
    makeData: () => ({ command: 'true', args: [] }),
    start(folder, { dataDir, port, spare, isDurable, isNode, replicaOf }) {
      const settings = {
        ...{ bind: '127.0.0.1', port, dir: dataDir, save: '', 'maxmemory-policy': 'noeviction' },
        ...(isDurable ? { appendonly: 'yes', appendfsync: 'always' } : { appendonly: 'no' }),
        ...(isNode && { 'cluster-enabled': 'yes', 'cluster-port': spare, 'cluster-require-full-coverage': 'no' }),
        ...(isNode && { 'cluster-node-timeout': 15_000 }),
        ...(replicaOf && { replicaof: `127.0.0.1 ${replicaOf}` }),
        // A replica is there at once, and one that is cut off is noticed soon.
        ...{ 'repl-diskless-sync-delay': 0, 'repl-timeout': 5, 'repl-ping-replica-period': 1 },
        'enable-debug-command': 'local',
      };
      const flags = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
      return { command: join(folder, 'usr/bin/redis-server'), args: flags };
    },
    isReady: /Ready to accept connections/,
    stopSignal: 'SIGKILL',
    urlOf: (port) => `redis://127.0.0.1:${port}`,
  },

  /** Watches the redis at `--before=port`, which it calls `shop`. One is enough to replace it. */
  sentinel: {
    packages: ['redis-server', 'redis-tools'],
    binaries: ['usr/bin/redis-server', 'usr/bin/redis-benchmark'],
    makeData: () => ({ command: 'true', args: [] }),
    files: ({ port, dataDir, before }) => ({
      'sentinel.conf': [
        ...['bind 127.0.0.1', `port ${port}`, `dir ${dataDir}`, `sentinel monitor shop 127.0.0.1 ${before} 1`],
        ...['sentinel down-after-milliseconds shop 60000', 'sentinel failover-timeout shop 5000', ''],
      ].join('\n'),
    }),
    start: (folder, { dataDir }) => ({
      command: join(folder, 'usr/bin/redis-server'),
      args: [join(dataDir, 'sentinel.conf'), '--sentinel'],
    }),
    isReady: /\+monitor master/,
    stopSignal: 'SIGKILL',
    urlOf: (port) => `redis://127.0.0.1:${port}`,
  },
};

function mariadbHome(folder, dataDir) {
  const share = join(folder, 'usr/share/mysql');
  return [
    ...['--no-defaults', `--datadir=${dataDir}`, `--basedir=${join(folder, 'usr')}`, `--tmpdir=${dataDir}`],
    ...[`--lc-messages-dir=${share}`, `--character-sets-dir=${join(share, 'charsets')}`],
    `--plugin-dir=${join(folder, 'usr/lib/mysql/plugin')}`,
  ];
}
