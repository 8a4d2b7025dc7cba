-- Statements on an import's ledger that hold back rows of which none was sent: others are tried first. `cutAgain` (cut.ts)
-- cuts the batches of their call groups again.

-- name: begin
-- The rows that wait.
create temp table held (row_id integer not null, call_group_id integer not null);

-- name: find_held
-- In: first (rows), uids and guids (JSON, in lower case); null: no such condition. As staging does it, a row of the file that
-- is skipped does not count, and one that gives several memberships counts once.
insert into temp.held
  with chosen as (
    select r.id, r.line from rows r left join groups g on g.id = r.group_id
     where r.id not in (select row_id from skipped)
       and (:uids is null or lower(r.uid) in (select value from json_each(:uids)))
       and (:guids is null or lower(g.guid) in (select value from json_each(:guids)))),
  turns as (select id, line <> coalesce(lag(line) over (order by id), 0) as is_next from chosen),
  counted as (select id, sum(is_next) over (order by id) as n from turns)
  select id as row_id, call_group_id from rows
   where call_group_id is not null and id not in (select id from counted where :first is null or n <= :first);

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

-- name: forget_messages
-- They are counted again.
delete from counters where name in ('messages', 'messageGroups', 'addedMessages', 'addedCalls', 'silentCalls');
