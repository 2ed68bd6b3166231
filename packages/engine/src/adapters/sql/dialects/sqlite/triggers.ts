/**
 * Triggers of the SQLite ledger. A sale's allotted is the sum of its quotas', at every moment: it follows them, with free
 * giving what allotted takes, and cannot be changed on its own. They run when a quota's allotted changes and never in a
 * settlement. The journal is append-only.
 */
const FOLLOW = 'update sales set free_units = free_units -';

export const SQLITE_TRIGGERS: readonly string[] = [
  `create trigger quota_added after insert on quotas when new.allotted_units <> 0 begin
    ${FOLLOW} new.allotted_units, allotted_units = allotted_units + new.allotted_units where id = new.sale_id;
  end`,
  `create trigger quota_allotted after update of allotted_units on quotas
  when new.allotted_units <> old.allotted_units begin
    ${FOLLOW} (new.allotted_units - old.allotted_units),
      allotted_units = allotted_units + (new.allotted_units - old.allotted_units) where id = new.sale_id;
  end`,
  `create trigger quota_removed after delete on quotas when old.allotted_units <> 0 begin
    ${FOLLOW} (0 - old.allotted_units), allotted_units = allotted_units - old.allotted_units where id = old.sale_id;
  end`,
  `create trigger quota_keeps_its_key before update of sale_id, region, segment, channel on quotas begin
    select raise(abort, 'a quota keeps its key');
  end`,
  `create trigger sale_follows_quotas after update of allotted_units on sales
  when new.allotted_units <> (select coalesce(sum(allotted_units), 0) from quotas where sale_id = new.id) begin
    select raise(abort, 'a sale allots what its quotas have');
  end`,
  `create trigger sale_starts_free after insert on sales when new.allotted_units <> 0 begin
    select raise(abort, 'a sale allots what its quotas have');
  end`,
  `create trigger journal_keeps_entries before delete on journal begin
    select raise(abort, 'the journal is append-only');
  end`,
  `create trigger journal_keeps_figures before update on journal begin
    select raise(abort, 'the journal is append-only');
  end`,
];
