-- Statements on an import's ledger that leave out rows which are not to be sent after all. Who knows which rows these are fills
-- `left_out`; between the others, `cutAgain` (cut.ts) takes the rows out of their batches.

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
-- and they leave no message in a group.
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
