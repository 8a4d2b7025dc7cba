-- Statements on an import's ledger that change what is sent before anything is. `cutAgain` (cut.ts) cuts the batches of the call
-- groups in `left_out` again.
--
-- Rows that are not to be sent after all: who knows which rows these are fills `left_out`.

-- name: begin
-- The rows, with why they are left out.
create temp table left_out (row_id integer not null, call_group_id integer not null, region_id integer, message text not null);

-- name: count_left_out
-- Out: how many they are; one that is named twice is left out once.
select count(distinct row_id) as n from temp.left_out;

-- name: keep_first
-- Of a row that is named twice, the first message counts.
delete from temp.left_out where rowid not in (select min(rowid) from temp.left_out group by row_id);

-- name: skip
-- They have an outcome now.
insert into skipped (row_id, code, message) select row_id, 'LEFT_OUT', message from temp.left_out;

-- name: count_skipped
-- The counters have them,
insert into counters (region_id, name, n) select region_id, 'skipped', count(*) from temp.left_out where true group by 1
  on conflict (region_id, name) do update set n = n + excluded.n;

-- name: forget_messages
-- and they leave no message in a group. They are counted again.
delete from counters where name in ('messages', 'messageGroups', 'addedMessages', 'addedCalls', 'silentCalls');

-- name: work_left
-- In: add (action), size (UIDs in one call), together (rows of a silent call). Out: what sending all other rows takes, by region.
with without as (
  select r.call_group_id as id, count(*) as n
    from temp.left_out o join rows r on r.id = o.row_id group by 1),
going as (
  select cg.group_id, b.region_id, cg.action_id = :add as adds, sum(b.size) - coalesce(w.n, 0) as n,
         cast(iif(g.guid = '', :together, :size) as integer) as size
    from batches b join call_groups cg on cg.id = b.call_group_id join groups g on g.id = cg.group_id
    left join without w on w.id = cg.id group by cg.id)
select r.name as region, sum(n) as rows, count(distinct iif(n > 0, group_id, null)) as groups,
       sum(iif(adds, (n + size - 1) / size, n)) as calls
  from going join regions r on r.id = going.region_id group by region_id;

-- name: failing_codes
-- With the check of the import attached as `checked`. Out: why rows would fail.
select distinct code from checked.verdicts where verdict = 'fail';

-- name: find_failing
-- In: code, message. Adds to temp.left_out the rows that would fail for it and are still to be sent.
insert into temp.left_out (row_id, call_group_id, region_id, message)
  select r.id, r.call_group_id, r.region_id, :message from checked.verdicts v join rows r on r.id = v.row_id
   where v.verdict = 'fail' and v.code = :code and r.call_group_id is not null;

-- Rows that wait while others are tried first; none was sent.

-- name: begin_holding
-- The rows that wait.
create temp table held (row_id integer not null, call_group_id integer not null);

-- name: find_held
-- In: first (rows), uids and guids (JSON, in lower case); null: no such condition. A row that gives several memberships counts once.
insert into temp.held
  with sendable as (select id, line, call_group_id, uid, group_id from rows where call_group_id is not null),
  chosen as (
    select r.id, r.line from sendable r join groups g on g.id = r.group_id
     where (:uids is null or lower(r.uid) in (select value from json_each(:uids)))
       and (:guids is null or lower(g.guid) in (select value from json_each(:guids)))),
  turns as (select id, line <> coalesce(lag(line) over (order by id), 0) as is_next from chosen),
  counted as (select id, sum(is_next) over (order by id) as n from turns)
  select id as row_id, call_group_id from sendable
   where id not in (select id from counted where :first is null or n <= :first);

-- name: index_held
-- For the statements below.
create unique index temp.held_rows on held (row_id);

-- name: count_held
-- Out: how many they are, and how many rows are sent first.
select count(*) as n, (select count(*) from rows where call_group_id is not null) - count(*) as going from temp.held;

-- name: list_left_out
-- The call groups whose batches are cut again; no row is left out.
create temp table left_out as
  select -row_number() over () as row_id, call_group_id from (select distinct call_group_id from temp.held);

-- name: add_groups
-- They wait in call groups of their own.
insert into call_groups (group_id, on_behalf_of, action_id, later)
  select c.group_id, c.on_behalf_of, c.action_id, 1 from call_groups c
   where c.id in (select call_group_id from temp.held) and c.later = 0
     and not exists (select 1 from call_groups l where l.later = 1 and l.group_id = c.group_id
                        and l.on_behalf_of = c.on_behalf_of and l.action_id = c.action_id);

-- name: move_rows
-- Into these.
update rows
   set call_group_id = (select l.id from call_groups c join call_groups l
                            on l.later = 1 and l.group_id = c.group_id and l.on_behalf_of = c.on_behalf_of and l.action_id = c.action_id
                         where c.id = rows.call_group_id)
 where id in (select row_id from temp.held);

-- name: list_new
-- Their batches are to be cut as well.
insert into temp.left_out
  select -1000000000 - r.id, r.call_group_id from rows r
   where r.id in (select row_id from temp.held) and r.call_group_id not in (select call_group_id from temp.left_out)
   group by r.call_group_id;
