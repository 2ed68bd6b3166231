/**
 * Triggers of the PostgreSQL ledger: the same laws as SQLite's. A sale's allotted is the sum of its quotas', at every moment:
 * it follows them, with free giving what allotted takes, and cannot be changed on its own. They do nothing in a settlement.
 * The journal is append-only.
 */

/** 23514: a check was violated, like those of the tables. */
export function refuse(name: string, sentence: string): string {
  return `create function ${name}() returns trigger language plpgsql as $$
  begin
    raise exception '${sentence}' using errcode = '23514';
  end $$`;
}

const FOLLOW = 'update sales set free_units = free_units -';

export const POSTGRES_TRIGGERS: readonly string[] = [
  `create function sluice_follow_quota() returns trigger language plpgsql as $$
  begin
    if tg_op = 'INSERT' then
      ${FOLLOW} new.allotted_units, allotted_units = allotted_units + new.allotted_units where id = new.sale_id;
    elsif tg_op = 'UPDATE' then
      ${FOLLOW} (new.allotted_units - old.allotted_units),
        allotted_units = allotted_units + (new.allotted_units - old.allotted_units) where id = new.sale_id;
    else
      ${FOLLOW} (0 - old.allotted_units), allotted_units = allotted_units - old.allotted_units where id = old.sale_id;
    end if;
    return null;
  end $$`,
  `create function sluice_sale_follows_quotas() returns trigger language plpgsql as $$
  begin
    if new.allotted_units <> (select coalesce(sum(allotted_units), 0) from quotas where sale_id = new.id) then
      raise exception 'a sale allots what its quotas have' using errcode = '23514';
    end if;
    return null;
  end $$`,
  refuse('sluice_quota_keeps_its_key', 'a quota keeps its key'),
  refuse('sluice_sale_starts_free', 'a sale allots what its quotas have'),
  refuse('sluice_journal_is_append_only', 'the journal is append-only'),

  `create trigger quota_added after insert on quotas for each row when (new.allotted_units <> 0)
    execute function sluice_follow_quota()`,
  `create trigger quota_allotted after update of allotted_units on quotas for each row
    when (new.allotted_units <> old.allotted_units) execute function sluice_follow_quota()`,
  `create trigger quota_removed after delete on quotas for each row when (old.allotted_units <> 0)
    execute function sluice_follow_quota()`,
  `create trigger quota_keeps_its_key before update of sale_id, region, segment, channel on quotas for each row
    execute function sluice_quota_keeps_its_key()`,
  `create trigger sale_follows_quotas after update of allotted_units on sales for each row
    execute function sluice_sale_follows_quotas()`,
  `create trigger sale_starts_free after insert on sales for each row when (new.allotted_units <> 0)
    execute function sluice_sale_starts_free()`,
  `create trigger journal_keeps_entries before delete or truncate on journal
    execute function sluice_journal_is_append_only()`,
  `create trigger journal_keeps_figures before update on journal for each row
    execute function sluice_journal_is_append_only()`,
];
