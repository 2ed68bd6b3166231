/**
 * Triggers of the MariaDB ledger: the same laws as SQLite's. A sale's allotted is the sum of its quotas', at every moment: it
 * follows them, with free giving what allotted takes, and cannot be changed on its own. They do nothing in a settlement. The
 * journal is append-only.
 */
const FOLLOW = 'update sales set free_units = free_units -';

/** 45000: a law of ours. */
const refuse = (sentence: string): string => `signal sqlstate '45000' set message_text = '${sentence}'`;

export const MYSQL_TRIGGERS: readonly string[] = [
  // One SET of two columns sees the first one's new value here; `allotted_units` is not read after it was set.
  `create trigger quota_added after insert on quotas for each row begin
    if new.allotted_units <> 0 then
      ${FOLLOW} new.allotted_units, allotted_units = allotted_units + new.allotted_units where id = new.sale_id;
    end if;
  end`,
  `create trigger quota_allotted after update on quotas for each row begin
    if new.allotted_units <> old.allotted_units then
      ${FOLLOW} (new.allotted_units - old.allotted_units),
        allotted_units = allotted_units + (new.allotted_units - old.allotted_units) where id = new.sale_id;
    end if;
  end`,
  `create trigger quota_removed after delete on quotas for each row begin
    if old.allotted_units <> 0 then
      ${FOLLOW} (0 - old.allotted_units), allotted_units = allotted_units - old.allotted_units where id = old.sale_id;
    end if;
  end`,
  `create trigger quota_keeps_its_key before update on quotas for each row begin
    if new.sale_id <> old.sale_id or new.region <> old.region or new.segment <> old.segment
      or new.channel <> old.channel then ${refuse('a quota keeps its key')};
    end if;
  end`,
  `create trigger sale_follows_quotas after update on sales for each row begin
    if new.allotted_units <> old.allotted_units and new.allotted_units <>
      (select coalesce(sum(allotted_units), 0) from quotas where sale_id = new.id)
    then ${refuse('a sale allots what its quotas have')};
    end if;
  end`,
  `create trigger sale_starts_free after insert on sales for each row begin
    if new.allotted_units <> 0 then ${refuse('a sale allots what its quotas have')};
    end if;
  end`,
  `create trigger journal_keeps_entries before delete on journal for each row begin
    ${refuse('the journal is append-only')};
  end`,
  `create trigger journal_keeps_figures before update on journal for each row begin
    ${refuse('the journal is append-only')};
  end`,
];
