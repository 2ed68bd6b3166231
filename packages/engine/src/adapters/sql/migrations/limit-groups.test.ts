/** A database that counted buyers by sale goes on by limit scope, and has forgotten nobody. */
import { expect, test } from 'vitest';
import { newClaim, openSale } from '../../../ports/ledger-fixture.contract.ts';
import { openMysqlLedger } from '../dialects/mysql/open-ledger.ts';
import { createTestDatabase as createMariadb } from '../dialects/mysql/test-database.contract.ts';
import { openPostgresLedger } from '../dialects/postgres/open-ledger.ts';
import { createTestDatabase as createPostgres } from '../dialects/postgres/test-database.contract.ts';
import { describeWithServer, startTestServer } from '../test-server.contract.ts';

const SLOW_MS = 120_000;

/** As the step before had left it. `idType`, `nameType`: of the database's columns. */
const takenBack = (idType: string, nameType: string): readonly string[] => [
  `create table by_sale (sale_id ${nameType} not null references sales (id), buyer_id ${idType} not null,
    limit_units bigint not null, units bigint not null, constraint buyer_key primary key (sale_id, buyer_id),
    constraint buyer_within_limit check (units <= limit_units))`,
  'insert into by_sale select limit_scope, buyer_id, limit_units, units from buyers',
  'drop table buyers',
  'drop table limit_scopes',
  'alter table by_sale rename to buyers',
  'alter table sales drop column limit_group',
  'alter table sales drop column segments',
  'alter table returns drop column onward_to',
  'drop table ledger_identity',
  'alter table order_events drop column reference',
  'alter table order_events drop column amount',
  `delete from ledger_migrations where name >= '0010'`,
];

const REFERENCES_TAKEN_BACK: readonly string[] = [
  ...['segments_stay', 'orders_stay', 'sales_stay', 'limit_scopes_stay', 'orders_have_segments'],
  ...['order_events_have_orders', 'journal_have_sales', 'buyers_have_limit_scopes'],
]
  .map((name) => `drop function sluice_${name} cascade`)
  .concat(
    `alter table orders add constraint order_of_segment foreign key (sale_id, region, segment) references segments`,
    `alter table order_events add constraint order_events_order_id_fkey foreign key (order_id) references orders`,
    `alter table journal add constraint journal_sale_id_fkey foreign key (sale_id) references sales`,
  );

describeWithServer('a ledger in PostgreSQL', await startTestServer('postgres'), (server) => {
  test('carries its buyers over to limit scopes', { timeout: SLOW_MS }, async () => {
    const { url, query, drop } = await createPostgres(server.url);
    const open = () => openPostgresLedger({ url, maxConnections: 2 });
    const takeBack = [...REFERENCES_TAKEN_BACK, ...takenBack('text collate "C"', 'text collate "C"')];
    await expectCarriedOver(open, (text) => query(text), takeBack);
    await drop();
  });
});

describeWithServer('a ledger in MariaDB', await startTestServer('mariadb'), (server) => {
  test('carries its buyers over to limit scopes', { timeout: SLOW_MS }, async () => {
    const { url, run, drop } = await createMariadb(server.url);
    const text = (length: number) => `varchar(${length}) character set utf8mb4 collate utf8mb4_nopad_bin`;
    await expectCarriedOver(() => openMysqlLedger({ url, maxConnections: 2 }), run, takenBack(text(512), text(128)));
    await drop();
  });
});

async function expectCarriedOver(
  open: () => ReturnType<typeof openPostgresLedger>,
  run: (text: string) => Promise<unknown>,
  takeBack: readonly string[],
): Promise<void> {
  const before = await open();
  const saleId = await openSale(before.ledger, { limitUnits: 2 });
  const ann = { buyerId: 'Ann ' };
  await before.ledger.settlement.settle([newClaim(saleId, 1, ann), newClaim(saleId, 2, { buyerId: 'ann' })]);
  await before.close();
  for (const statement of takeBack) await run(statement);

  const after = await open();
  const outcomes = await after.ledger.settlement.settle([
    newClaim(saleId, 3, ann),
    newClaim(saleId, 4, ann),
    newClaim(saleId, 5, { buyerId: 'ann', units: 1 }),
  ]);
  expect(outcomes.map(({ kind }) => kind)).toEqual(['settled', 'refused', 'settled']);
  expect(await after.ledger.sales.find(saleId)).not.toHaveProperty('limitGroup');
  await expect(run('update buyers set units = 3')).rejects.toThrow();
  await after.close();
}
