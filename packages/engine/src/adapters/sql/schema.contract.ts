/** Law 1 is in the schema: statements that would break it are refused, whoever sends them. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Fault } from '../../domain/fault.ts';
import type { Ledger } from '../../ports/ledger.ts';
import { newClaim, openSale } from '../../ports/ledger-fixture.contract.ts';

/** A database under test, to which anybody may send anything. */
export interface OpenSchema {
  readonly ledger: Ledger;
  /** Rows, if there are any. */
  run(text: string): Promise<readonly unknown[]>;
  faultOf(error: unknown): Fault | null;
  close(): Promise<void>;
}

export interface SchemaSubject {
  readonly name: string;
  open(): Promise<OpenSchema>;
  /** What this database in particular must refuse. */
  readonly refused?: Readonly<Record<string, string>>;
}

/** A live sale `S` of 10 units, all at the gate of one quota, with one order of 2 units and one that was refused. */
export async function soldOnce(ledger: Ledger): Promise<string> {
  const saleId = await openSale(ledger, { totalUnits: 10, limitUnits: 2 });
  await ledger.settlement.settle([newClaim(saleId, 1, { units: 2 }), newClaim(saleId, 2, { units: 3 })]);
  return saleId;
}

export const QUOTA = `where sale_id = 'S' and segment = 0 and channel = 'web'`;

const REFUSED: Readonly<Record<string, string>> = {
  'hold more than the quota has': `update quotas set held_units = held_units + 9 ${QUOTA}`,
  'sell more than the quota has': `update quotas set sold_units = 9 ${QUOTA}`,
  'quarantine more than the quota has': `update quotas set quarantined_units = 9 ${QUOTA}`,
  'hold less than nothing': `update quotas set held_units = -1 ${QUOTA}`,
  'sell less than nothing to hold more': `update quotas set sold_units = -5, held_units = 15 ${QUOTA}`,
  'take from a quota what it has sold': `update quotas set allotted_units = 1 ${QUOTA}`,
  'allot more than the sale has': `update quotas set allotted_units = allotted_units + 1 ${QUOTA}`,
  'add a quota with units that are not there': `insert into quotas values ('S', 'main', 1, 'app', 1, 0, 0, 0)`,
  'move a quota to another key': `update quotas set channel = 'other' ${QUOTA}`,
  'remove a quota': `delete from quotas ${QUOTA}`,
  'free units below zero': `update sales set free_units = -1, allotted_units = 11 where id = 'S'`,
  'change the total alone': `update sales set total_units = 11 where id = 'S'`,
  'change free alone': `update sales set free_units = 1 where id = 'S'`,
  'change allotted alone': `update sales set allotted_units = 9 where id = 'S'`,
  'shift allotted to free without its quotas': `update sales set allotted_units = 9, free_units = 1 where id = 'S'`,
  'start a sale with units allotted': `insert into sales (id, title, total_units, free_units, allotted_units,
    limit_units, starts_at_ms, ends_at_ms, hold_ms, state, version) values ('T', 'T', 5, 0, 5, 1, 0, 1, 0, 'draft', 1)`,
  'let a buyer have more than the limit': `update buyers set units = 3 where buyer_id = 'buyer-1'`,
  'add a buyer beyond the limit': `insert into buyers values ('S', 'other', 2, 3)`,
  'add a buyer of a limit scope that is not there': `insert into buyers values ('other', 'other', 2, 1)`,
  'let a buyer have less than nothing': `update buyers set units = -1 where buyer_id = 'buyer-1'`,
  'write an order twice': `insert into orders select * from orders where order_id = 'S/order-1'`,
  'give an order another order’s position': `insert into orders
    select 'other', sale_id, 'other', units, region, segment, channel, epoch, seq, state, refusal, settled_at_ms, due_at_ms
    from orders where order_id = 'S/order-1'`,
  'write an order of no units': `update orders set units = 0 where order_id = 'S/order-1'`,
  'write an order of a segment that is not there': `insert into orders
    select 'other', sale_id, 'other', units, region, 7, channel, epoch, seq, state, refusal, settled_at_ms, due_at_ms
    from orders where order_id = 'S/order-1'`,
  'move an order to a segment that is not there': `update orders set segment = 7 where order_id = 'S/order-1'`,
  'let an order’s id become another': `update orders set order_id = 'other' where order_id = 'S/order-1'`,
  'remove an order': `delete from orders where order_id = 'S/order-1'`,
  'remove a segment': `delete from segments where sale_id = 'S'`,
  'move a segment to another place': `update segments set segment = 7 where sale_id = 'S' and segment = 0`,
  'remove a limit scope': `delete from limit_scopes where name = 'S'`,
  'call a limit scope by another name': `update limit_scopes set name = 'other' where name = 'S'`,
  'give a buyer a limit scope that is not there': `update buyers set limit_scope = 'other' where buyer_id = 'buyer-1'`,
  'write an event of an order that is not there': `insert into order_events (order_id, sale_id, buyer_id, type, units, state, at_ms)
    select 'other', sale_id, buyer_id, type, units, state, at_ms from order_events where order_id = 'S/order-1'`,
  'give an event an order that is not there': `update order_events set order_id = 'other' where order_id = 'S/order-1'`,
  'write a move to a quota that is not there': `update moves set channel = 'other' where sale_id = 'S'`,
  'write a release of an order that is not there': `update releases set order_id = 'other' where sale_id = 'S'`,
  'write a release twice': `insert into releases select * from releases where sale_id = 'S'`,
  'write a cut twice': `insert into cuts select * from cuts where sale_id = 'S'`,
  'delete an entry of the journal': `delete from journal where id = 1`,
  'change an entry of the journal': `update journal set units = units + 1 where id = 1`,
  'empty the journal': `delete from journal`,
  'write an entry of no units': `insert into journal select 999999999, sale_id, region, segment, channel, from_account, to_account, 0,
    cause, cause_id from journal where id = 1`,
  'write an entry that goes nowhere': `insert into journal select 999999999, sale_id, region, segment, channel, 'free', 'free', 1,
    cause, cause_id from journal where id = 1`,
  'write an entry of a sale that is not there': `insert into journal select 999999999, 'other', region, segment, channel,
    from_account, to_account, units, cause, cause_id from journal where id = 1`,
  'remove a sale': `delete from sales where id = 'S'`,
  'call a sale by another id': `update sales set id = 'other' where id = 'S'`,
};

export function schemaContract(subject: SchemaSubject): void {
  describe(`the ${subject.name} schema refuses to`, () => {
    let opened: OpenSchema;
    beforeAll(async () => {
      opened = await subject.open();
    });
    afterAll(() => opened.close());

    test.each(Object.entries({ ...REFUSED, ...subject.refused }))('%s', async (_, statement) => {
      const saleId = await soldOnce(opened.ledger);
      const text = statement.replaceAll(`'S'`, `'${saleId}'`).replaceAll(`'S/`, `'${saleId}/`);
      const before = await contentOf(opened);
      let fault = null;
      try {
        await opened.run(text);
      } catch (error) {
        fault = opened.faultOf(error);
      }
      expect(fault?.code).toBe('ledger_constraint');
      expect(await contentOf(opened)).toEqual(before);
    });
  });
}

const TABLES = [
  'sales',
  'segments',
  'cuts',
  'quotas',
  'limit_scopes',
  'buyers',
  'orders',
  'moves',
  'releases',
  'quarantine',
  'journal',
  'order_events',
];

async function contentOf({ run }: OpenSchema): Promise<unknown> {
  const tables: unknown[] = [];
  for (const table of TABLES) {
    const rows = await run(`select * from ${table}`);
    tables.push(rows.map((row) => JSON.stringify(row)).sort());
  }
  return tables;
}
