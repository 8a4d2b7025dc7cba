-- The edits of an import's rows, beside its ledger: the tables of both are here, and those of the ledger are only read.

-- name: page_to_repair
-- In: after, limit, invalid and failed (1: wanted), outcome (the one of failed rows), code (null: any), states (JSON array).
-- Out: numbers of the first rows behind a row that can be repaired, or were.
select row_id from (
  select * from (
    select distinct coalesce(t.first_row, p.row_id) as row_id
      from problems p left join parts t on t.row_id = p.row_id left join repairs e on e.row_id = coalesce(t.first_row, p.row_id)
     where p.position = 0 and :invalid and p.row_id > :after and coalesce(t.first_row, p.row_id) > :after
       and (:code is null or p.code = :code)
       and case when e.row_id is null then 'open' when e.import_id is not null then 'sent' when e.problems = '[]' then 'ready' else 'wrong' end
           in (select value from json_each(:states))
     order by 1 limit :limit)
  union
  select * from (
    select distinct coalesce(t.first_row, m.row_id) as row_id
      from memberships m left join parts t on t.row_id = m.row_id left join repairs e on e.row_id = coalesce(t.first_row, m.row_id)
     where m.outcome_id = :outcome and :failed and coalesce(t.first_row, m.row_id) > :after
       and (:code is null or m.code = :code)
       and case when e.row_id is null then 'open' when e.import_id is not null then 'sent' when e.problems = '[]' then 'ready' else 'wrong' end
           in (select value from json_each(:states))
     order by 1 limit :limit)
) order by row_id limit :limit;

-- name: count_to_repair
-- In: failed (1: wanted), outcome (the one of failed rows). Out: rows by problem and by what was done about them.
select c.status, c.code, case when e.row_id is null then 'open' when e.import_id is not null then 'sent' when e.problems = '[]' then 'ready' else 'wrong' end as state,
       count(distinct c.row_id) as n
  from (
    select 'invalid' as status, p.code, coalesce(t.first_row, p.row_id) as row_id
      from problems p left join parts t on t.row_id = p.row_id where p.position = 0
    union all
    select 'failed', coalesce(m.code, ''), coalesce(t.first_row, m.row_id)
      from memberships m left join parts t on t.row_id = m.row_id where m.outcome_id = :outcome and :failed
  ) c left join repairs e on e.row_id = c.row_id
 group by 1, 2, 3;

-- name: count_rows_to_repair
-- In: failed (1: wanted), outcome (the one of failed rows). Out: how many rows they are: one may have several problems.
select count(*) as n from (
  select coalesce(t.first_row, p.row_id) as row_id from problems p left join parts t on t.row_id = p.row_id where p.position = 0
  union
  select coalesce(t.first_row, m.row_id) from memberships m left join parts t on t.row_id = m.row_id where m.outcome_id = :outcome and :failed);

-- name: which_to_repair
-- In: rows (JSON array of numbers), failed (1: wanted), outcome (the one of failed rows). Out: those of them that can be repaired.
select distinct r.id as row_id from rows r left join parts t on t.first_row = r.id
 where r.id in (select value from json_each(:rows)) and coalesce(t.part, 1) = 1
   and (exists (select 1 from problems p where p.row_id = r.id or p.row_id in (select o.row_id from parts o where o.first_row = r.id))
        or (:failed and exists (select 1 from memberships m where m.outcome_id = :outcome
              and (m.row_id = r.id or m.row_id in (select o.row_id from parts o where o.first_row = r.id)))));

-- name: rows_of_lines
-- In: lines (JSON array). Out: the first row of each line.
select line, min(id) as row_id from rows where line in (select value from json_each(:lines)) group by line;

-- name: original_rows
-- In: rows (JSON array). Out: rows as the input had them.
select id, line, original from rows where id in (select value from json_each(:rows)) order by id;

-- name: problems_of
-- In: rows (JSON array of first rows). Out: what was wrong with them when the file was read.
select coalesce(t.first_row, p.row_id) as row_id, p.column_name as column, p.value, p.code, p.reason
  from problems p left join parts t on t.row_id = p.row_id
 where p.row_id in (select value from json_each(:rows))
    or p.row_id in (select o.row_id from parts o where o.first_row in (select value from json_each(:rows)))
 order by p.row_id, p.position;

-- name: memberships_of
-- In: rows (JSON array of first rows), unprocessed (outcome). Out: memberships of these rows that are not duplicates, and their outcomes.
select coalesce(t.first_row, m.row_id) as row_id, g.region_id as region, g.guid, r.uid, r.scope_id as scope,
       cg.on_behalf_of as actor, cg.action_id as action, coalesce(m.outcome_id, :unprocessed) as outcome, coalesce(m.code, '') as code,
       coalesce(m.message, '') as message
  from rows r
  left join parts t on t.row_id = r.id
  join memberships m on m.row_id = r.id
  join call_groups cg on cg.id = r.call_group_id
  join groups g on g.id = cg.group_id
 where r.id in (select value from json_each(:rows))
    or r.id in (select o.row_id from parts o where o.first_row in (select value from json_each(:rows)))
 order by r.id;

-- name: add_edit
-- In: row, column, value (null: as the file had it), by, at (ms).
insert into edits (row_id, column_name, value, by, at) values (:row, :column, :value, :by, :at);

-- name: edits_of
-- In: rows (JSON array). Out: all edits of these rows, in order.
select row_id, column_name as column, value, by, at from edits where row_id in (select value from json_each(:rows)) order by id;

-- name: edit_count
-- Out: how many edits there are.
select count(*) as n from edits;

-- name: keep_repair
-- In: row, problems (JSON), retryable. A row with edits as it is now.
insert into repairs (row_id, problems, retryable) values (:row, :problems, :retryable)
  on conflict (row_id) do update set problems = excluded.problems, retryable = excluded.retryable;

-- name: forget_repair
-- In: row. It is as the file had it.
delete from repairs where row_id = :row and import_id is null;

-- name: repairs_of
-- In: rows (JSON array). Out: how rows with edits are now.
select row_id, problems, import_id from repairs where row_id in (select value from json_each(:rows));

-- name: repair_counts
-- In: failed (1: failed rows count). Out: rows with edits by what was done about them, and memberships that a retry would send.
select count(*) filter (where import_id is null and problems = '[]' and possible) as ready,
       count(*) filter (where import_id is null and problems <> '[]' and possible) as wrong,
       count(*) filter (where import_id is not null) as sent,
       coalesce(sum(retryable) filter (where import_id is not null), 0) as retryableSent
  from (select import_id, problems, retryable,
               :failed or exists (select 1 from problems p where p.row_id = repairs.row_id or p.row_id in (select o.row_id from parts o where o.first_row = repairs.row_id)) as possible
          from repairs);

-- name: claim
-- In: import, failed (1: failed rows too). All rows that are ready belong to this import from now on.
update repairs set import_id = :import
 where import_id is null and problems = '[]'
   and (:failed or exists (select 1 from problems p where p.row_id = repairs.row_id or p.row_id in (select o.row_id from parts o where o.first_row = repairs.row_id)));

-- name: add_send
-- In: import, by, at (ms).
insert into sends (import_id, by, at) values (:import, :by, :at);

-- name: sends
-- Out: imports of repaired rows with their numbers of rows, oldest first.
select s.import_id as importId, s.by, s.at, s.created, count(r.row_id) as rows
  from sends s left join repairs r on r.import_id = s.import_id group by s.import_id order by s.at, s.rowid;

-- name: set_created
-- In: import. The catalog has it.
update sends set created = 1 where import_id = :import;

-- name: release
-- In: import. It was never created: its rows can be sent again.
update repairs set import_id = null where import_id = :import;

-- name: drop_send
-- In: import.
delete from sends where import_id = :import;

-- name: rows_of_send
-- In: import. Out: its rows, in the order of the input.
select row_id from repairs where import_id = :import order by row_id;

-- name: sent_lines
-- Out: lines of the rows that were sent.
select r.line from repairs e join rows r on r.id = e.row_id where e.import_id is not null;
