/**
 * What everybody writes first, for `npm run bench:settlement`: each order a transaction of its own, with a guarded UPDATE of one
 * stock row and an INSERT; or with a row for each unit, of which an order locks one that nobody else has (SKIP LOCKED).
 */
import { createRequire } from 'node:module';

const ofEngine = createRequire(new URL('../packages/engine/package.json', import.meta.url));
/** More than anybody sells here in a shot. */
const UNITS = 60_000;

const ORDERS = `create table naive_orders (id varchar(64) primary key, sku varchar(64) not null, buyer varchar(64) not null,
  units bigint not null, state varchar(16) not null, created_at timestamp not null default current_timestamp, unique (sku, buyer))`;
const INSERT = `insert into naive_orders (id, sku, buyer, units, state) values (?, 'sku', ?, 1, 'pending')`;

/** `url` -> one connection: `query(sql, values)` answers `{ rows, changed }`. Values stand where `?` is. */
const CONNECTIONS = {
  async postgres(url) {
    const client = new (ofEngine('pg').Client)({ connectionString: url });
    await client.connect();
    return {
      async query(sql, values = []) {
        let at = 0;
        const { rows, rowCount } = await client.query(
          sql.replaceAll('?', () => `$${++at}`),
          values,
        );
        return { rows, changed: rowCount };
      },
      close: () => client.end(),
    };
  },
  async mariadb(url) {
    const connection = await ofEngine('mysql2/promise').createConnection(url);
    return {
      async query(sql, values = []) {
        const [result] = await connection.execute(sql, values);
        return { rows: result, changed: result.affectedRows };
      },
      close: () => connection.end(),
    };
  },
};

const FREE_UNITS = {
  postgres: 'create index naive_free on naive_units (id) where buyer is null',
  mariadb: 'create index naive_free on naive_units (buyer, id)',
};

const NAIVE_WAYS = {
  'guarded update': {
    async prepare(query) {
      await query('create table naive_stock (sku varchar(64) primary key, units_left bigint not null)');
      await query(`insert into naive_stock values ('sku', 10000000)`);
    },
    async take(query) {
      const { changed } = await query(
        `update naive_stock set units_left = units_left - 1 where sku = 'sku' and units_left >= 1`,
      );
      return changed === 1;
    },
  },
  'skip locked': {
    async prepare(query, database) {
      await query('create table naive_units (id bigint primary key, buyer varchar(64))');
      for (let first = 0; first < UNITS; first += 2_000) {
        const rows = Array.from({ length: 2_000 }, (_, at) => `(${first + at}, null)`);
        await query(`insert into naive_units values ${rows.join(',')}`);
      }
      await query(FREE_UNITS[database]);
    },
    async take(query, buyer) {
      const free = 'select id from naive_units where buyer is null order by id limit 1 for update skip locked';
      const { rows } = await query(free);
      if (rows.length === 0) return false;
      await query('update naive_units set buyer = ? where id = ?', [buyer, rows[0].id]);
      return true;
    },
  },
};

/** Its URL. The one that a server begins with may be the system's own. */
export async function freshDatabase(database, url) {
  const { query, close } = await CONNECTIONS[database](url);
  await query('create database bench');
  await close();
  return Object.assign(new URL(url), { pathname: '/bench' }).href;
}

/** Orders a second of `clients`, each on its own connection, for `seconds`. */
export async function naiveRate({ database, url, way, clients, seconds }) {
  const connections = await Promise.all(Array.from({ length: clients }, () => CONNECTIONS[database](url)));
  const { prepare, take } = NAIVE_WAYS[way];
  const [{ query }] = connections;
  for (const table of ['orders', 'stock', 'units']) await query(`drop table if exists naive_${table}`);
  await query(ORDERS);
  await prepare(query, database);
  const started = performance.now();
  const elapsed = () => (performance.now() - started) / 1_000;
  let orders = 0;
  const buy = async (connection) => {
    while (elapsed() < seconds) {
      const number = ++orders;
      await connection.query('begin');
      if (!(await take(connection.query, `buyer-${number}`))) throw new Error('nothing was left');
      await connection.query(INSERT, [`order-${number}`, `buyer-${number}`]);
      await connection.query('commit');
    }
  };
  await Promise.all(connections.map(buy));
  const rate = orders / elapsed();
  await Promise.all(connections.map(({ close }) => close()));
  return rate;
}
