/**
 * References of the PostgreSQL ledger that are looked up for all rows of a statement at once. A foreign key of PostgreSQL asks for
 * each row on its own, which was a third of a settlement. The rows that are pointed at never go and keep their keys, so that what
 * was there when it was looked for stays, without a lock.
 */
import { refuse } from './triggers.ts';

interface Reference {
  readonly child: string;
  readonly columns: readonly string[];
  readonly parent: string;
  readonly keys: readonly string[];
  /** The foreign key that it stands for. */
  readonly insteadOf: string;
  readonly refusal: string;
}

/** Those that every settled order meets. */
const REFERENCES: readonly Reference[] = [
  {
    ...{ child: 'orders', columns: ['sale_id', 'region', 'segment'], insteadOf: 'order_of_segment' },
    ...{
      parent: 'segments',
      keys: ['sale_id', 'region', 'segment'],
      refusal: 'an order is of a segment that is there',
    },
  },
  {
    ...{ child: 'order_events', columns: ['order_id'], insteadOf: 'order_events_order_id_fkey' },
    ...{ parent: 'orders', keys: ['order_id'], refusal: 'an event is of an order that is there' },
  },
  {
    ...{ child: 'journal', columns: ['sale_id'], insteadOf: 'journal_sale_id_fkey' },
    ...{ parent: 'sales', keys: ['id'], refusal: 'an entry is of a sale that is there' },
  },
  {
    ...{ child: 'buyers', columns: ['limit_scope'], insteadOf: 'buyer_of_scope' },
    ...{ parent: 'limit_scopes', keys: ['name'], refusal: 'a buyer is of a limit scope that is there' },
  },
];

/** The plan is made once for a connection, when tables may still be empty: it must be one that is good when they are large. */
const BY_INDEX = ['seqscan', 'hashjoin', 'mergejoin'].map((way) => `set enable_${way} = off`).join(' ');

function keptForGood({ parent, keys }: Reference): readonly string[] {
  const name = `sluice_${parent}_stay`;
  return [
    refuse(name, `what ${parent} has is never removed, and keeps its key`),
    `create trigger ${parent}_stay before delete or truncate on ${parent} execute function ${name}()`,
    `create trigger ${parent}_keep_their_key before update of ${keys.join(', ')} on ${parent} for each row
      when (${differ(keys)}) execute function ${name}()`,
  ];
}

function lookedUpTogether({ child, columns, parent, keys, refusal }: Reference): readonly string[] {
  const name = `sluice_${child}_have_${parent}`;
  const isThere = (of: string) =>
    `exists (select from ${parent} as parent where ${keys.map((key, at) => `parent.${key} = ${of}.${columns[at]}`).join(' and ')})`;
  return [
    `create function ${name}() returns trigger language plpgsql ${BY_INDEX} as $$
    begin
      if tg_op = 'UPDATE' then
        if ${isThere('new')} then return null; end if;
      elsif not exists (select from (select distinct ${columns.join(', ')} from added) as child where not ${isThere('child')}) then
        return null;
      end if;
      raise exception '${refusal}' using errcode = '23503';
    end $$`,
    `create trigger ${child}_have_${parent} after insert on ${child} referencing new table as added
      execute function ${name}()`,
    `create trigger ${child}_keep_${parent} after update of ${columns.join(', ')} on ${child} for each row
      when (${differ(columns)}) execute function ${name}()`,
  ];
}

function differ(columns: readonly string[]): string {
  return columns.map((column) => `old.${column} is distinct from new.${column}`).join(' or ');
}

export const POSTGRES_REFERENCES: readonly string[] = REFERENCES.flatMap((reference) => [
  `alter table ${reference.child} drop constraint ${reference.insteadOf}`,
  ...keptForGood(reference),
  ...lookedUpTogether(reference),
]);
