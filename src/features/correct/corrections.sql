-- The edits of an import's rows, beside its ledger: the tables of both are here, and those of the ledger are only read.

-- name: open_foreseen
-- Rows of an import that was not sent: those that would fail, as its check says (`checked`), and others that were edited.
create temp view foreseen as
select v.row_id, v.code from checked.verdicts v where v.verdict = 'fail'
union all
select e.row_id, '' from corrected e
 where not exists (select 1 from checked.verdicts v where v.row_id = e.row_id and v.verdict = 'fail')
   and not exists (select 1 from problems p where p.row_id = e.row_id)
   and not exists (select 1 from skipped s where s.row_id = e.row_id);

-- name: open_nothing_foreseen
-- The same of an import that was not checked, or was sent.
create temp table foreseen (row_id integer not null, code text not null);

-- name: open_to_correct
-- Rows that can be corrected, or were, once for each reason: those that were invalid, those that the service refused or would
-- refuse, and those that were left out. A row that gives several memberships goes by the first of them (row_id).
create temp view to_correct as
select c.*, coalesce(t.first_row, c.own_id) as row_id from (
  select 'invalid' as status, code, column_name, reason, position, row_id as own_id from problems
  union all
  select 'failed', coalesce(code, ''), '', coalesce(message, ''), 0, row_id from memberships
   where outcome_id = (select id from outcomes where name = 'failed')
  union all select 'unprocessed', code, '', '', 0, row_id from temp.foreseen
  union all select 'skipped', code, '', message, 0, row_id from skipped where code = 'LEFT_OUT') c
  left join parts t on t.row_id = c.own_id;

-- name: open_taken
-- In: taken (1: a plain retry has taken the rows that failed, or would fail).
create temp table taken as select :taken as yes;

-- name: open_correctable
-- Those of them that can be corrected here, or were sent, by their first problem, with what was done about them.
create temp view correctable as
select c.*, coalesce(e.state, 'open') as state from temp.to_correct c left join corrected e on e.row_id = c.row_id
 where c.position = 0 and (c.status in ('invalid', 'skipped') or e.state = 'sent' or not (select yes from temp.taken));

-- name: open_edited
-- Rows with edits, once for each of their memberships (own_id).
create temp view edited as
select row_id, row_id as own_id, state from corrected
union all
select e.row_id, t.row_id, e.state from corrected e join parts t on t.first_row = e.row_id where t.row_id <> e.row_id;

-- name: want
-- In: the filter: status (JSON array), code, column and rows (JSON array of own_id), each null for any; states (JSON array).
create temp table wanted as select :status as status, :code as code, :column as in_column, :rows as own, :states as states;

-- name: choose
-- Those that pass the filter.
create temp view chosen as select row_id, own_id from temp.correctable
 where ((select status from wanted) is null or status in (select value from json_each((select status from wanted))))
   and ((select code from wanted) is null or code = (select code from wanted))
   and ((select in_column from wanted) is null or column_name = (select in_column from wanted))
   and ((select own from wanted) is null or own_id in (select value from json_each((select own from wanted))))
   and state in (select value from json_each((select states from wanted)));

-- name: page_to_correct
-- In: after, limit (-1: all). Out: numbers of the first rows behind a row. (By own_id SQLite finds them; it is never before row_id.)
select distinct row_id as row from temp.chosen where own_id > :after and row_id > :after order by 1 limit :limit;

-- name: count_chosen
-- Out: how many rows pass the filter.
select count(distinct row_id) as total from temp.chosen;

-- name: count_to_correct
-- Out: rows by problem, the most frequent one first, and what was done about them.
select status, code, column_name as column, count(distinct row_id) as total,
       count(distinct row_id) filter (where state = 'ready') as ready,
       count(distinct row_id) filter (where state = 'wrong') as wrong,
       count(distinct row_id) filter (where state = 'sent') as sent
  from temp.correctable group by 1, 2, 3 order by total desc, 2 desc;

-- name: count_rows_to_correct
-- Out: how many rows they are: one may have several problems.
select count(distinct row_id) as total from temp.correctable;

-- name: problems_of
-- In: rows (JSON array of first rows). Out: their problems in order; those that a check foresees have no reason.
with own (id) as (
  select value from json_each(:rows)
  union select t.row_id from parts t where t.first_row in (select value from json_each(:rows)))
select c.row_id as row, c.status, c.column_name as column, c.code, c.reason
  from temp.to_correct c where c.own_id in (select id from own) order by c.own_id, c.position;

-- name: relatives_of
-- In: rows (JSON array of first rows), codes (JSON array). Out: if one of them has a problem that is another row: all rows that
-- may be that other one, themselves included. Texts that became one GUID are of a group, all others of a user.
with own (id) as (
  select value from json_each(:rows)
  union select t.row_id from parts t where t.first_row in (select value from json_each(:rows))),
contrary as not materialized (
  select p.row_id, p.column_name = 'guid' as of_group, r.group_id, lower(r.uid) as uid
    from problems p join rows r on r.id = p.row_id where p.code in (select value from json_each(:codes))),
mine as materialized (select * from contrary where row_id in (select id from own))
select distinct coalesce(t.first_row, c.row_id) as row from contrary c left join parts t on t.row_id = c.row_id
 where (select count(*) from mine) > 0
   and iif(c.of_group, c.group_id in (select group_id from mine where of_group),
           c.uid in (select uid from mine where not of_group));

-- name: contradictions
-- In: codes (JSON array). Out: of a ledger in memory that has only rows that may contradict each other: what they do, by line.
select distinct r.line, p.column_name as column, p.code, p.reason from problems p join rows r on r.id = p.row_id
 where p.code in (select value from json_each(:codes)) order by p.row_id, p.position;

-- name: rows_of_lines
-- In: lines (JSON array). Out: those that there are, with their first rows.
select min(id) as row, line from rows where line in (select value from json_each(:lines)) group by line;

-- name: rows_of
-- In: rows (JSON array). Out: rows as the input had them, with the cells that are not as the file had them (column -> value), who edited
-- a cell last (column -> by), and what they are now; null, open: without edits. Further memberships of a row are not among them.
select r.id as row, r.line, r.original,
       (select json_group_object(column_name, value) from edits where row_id = r.id and value is not null) as edits,
       (select json_group_object(column_name, by) from edits where row_id = r.id) as editors,
       coalesce(p.problems, 'null') as problems, coalesce(p.state, 'open') as state, p.import_id as sentIn
  from rows r left join corrected p on p.row_id = r.id
 where r.id in (select value from json_each(:rows)) and r.original <> '' order by r.id;

-- name: set_edit
-- In: row, column, value (null: as the file had it), by.
insert or replace into edits (row_id, column_name, value, by) values (:row, :column, :value, :by);

-- name: keep_corrected
-- In: row, problems (JSON). A row as it is now; one that was sent stays as it was.
insert or ignore into corrected (row_id, problems) values (:row, :problems);

-- name: forget_corrected
-- In: row. It is as the file had it.
delete from corrected where row_id = :row and import_id is null;

-- name: count_edited
-- In: outcomes (JSON array) that a retry takes; it takes rows without one too. Out: rows with edits by what was done about them; of those
-- that were sent, with all of their memberships: rows that were invalid, failed, and the others, and those that a retry would
-- send; the number of the last edit.
select count(distinct row_id) filter (where state = 'ready') as ready,
       count(distinct row_id) filter (where state = 'wrong') as wrong,
       count(distinct row_id) filter (where state = 'sent') as sent,
       count(distinct own_id) filter (where state = 'sent' and status = 'invalid') as invalid,
       count(distinct own_id) filter (where state = 'sent' and status = 'failed') as failed,
       count(distinct own_id) filter (where state = 'sent' and status not in ('invalid', 'failed')) as others,
       (select count(*) from temp.edited s join memberships m on m.row_id = s.own_id
         where s.state = 'sent' and (m.outcome_id is null or m.outcome_id in (select value from json_each(:outcomes)))) as retryable,
       (select coalesce(max(id), 0) from edits) as revision
  from temp.correctable where own_id in (select own_id from temp.edited);

-- name: claim
-- In: import. All rows that are ready belong to this import from now on. Out: these rows, in any order.
update corrected set import_id = :import
 where row_id in (select row_id from temp.correctable where state = 'ready' and own_id in (select own_id from temp.edited))
returning row_id as row;

-- name: count_left_out
-- In: import. Out: of its rows, those that were left out here, with all of their memberships.
select count(distinct own_id) as rows from temp.correctable
 where status = 'skipped' and row_id in (select row_id from corrected where import_id = :import);

-- name: note_sends
-- In: there (JSON array of imports that the catalog has). Their rows were sent, even if one of them is deleted later.
insert or replace into sends (import_id, created) select value, 1 from json_each(:there);

-- name: release
-- In: gone (JSON array of imports that ended before their rows were read). The rows of these, and of imports that were never
-- created, can be sent again.
update corrected set import_id = null
 where import_id in (select value from json_each(:gone)) or import_id not in (select import_id from sends where created);
