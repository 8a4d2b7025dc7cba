-- Statements that cut the rows which are sent into batches (cut.ts). Those in temp.left_out are not sent.

-- name: index_left_out
-- For the deletions below.
create unique index temp.left_out_rows on left_out (row_id);

-- name: leave_out
-- They have no call group any more.
update rows set call_group_id = null where id in (select row_id from left_out);

-- name: empty_batches
-- Where batches were cut before, those of call groups that lose rows are cut again: the remaining rows may fit into fewer calls.
delete from memberships where batch_id in (select id from batches where call_group_id in (select call_group_id from left_out));

-- name: forget_batches
-- They are no batches any more.
delete from batches where call_group_id in (select call_group_id from left_out);

-- name: sent_rows
-- In: lowest (scope). The rows of the call groups whose batches are cut again, in the order of the input.
select id, call_group_id, coalesce(scope_id, :lowest) as scope_id from rows
 where call_group_id in (select call_group_id from left_out) order by id;

-- name: rows_left_out
-- Out: row_id.
select row_id from left_out;

-- name: other_sizes
-- In: add (action), together (rows of a silent call). The call groups whose calls have another size: edits travel alone.
select cg.id, iif(g.guid = '', cast(:together as integer), 1) as size from call_groups cg join groups g on g.id = cg.group_id
 where cg.action_id <> :add or g.guid = '';

-- name: last_batch
-- Out: id; null where there is none.
select max(id) as id from batches;

-- name: begin_pieces
-- The batches to come, in the order in which they are sent and so are written.
create temp table pieces (id integer primary key, call_group_id integer not null, turn integer not null, size integer not null, bans integer not null);

-- name: list_batches
-- In: add (action). Edits go first: in a group that is full, removals make room for additions.
insert into batches (id, call_group_id, region_id, turn, state, size, bans)
  select p.id, cg.id, g.region_id, iif(cg.action_id = :add, p.turn, -1), iif(cg.later, 'later', 'pending'), p.size, p.bans
    from temp.pieces p
    join call_groups cg on cg.id = p.call_group_id
    join groups g on g.id = cg.group_id
   order by p.id;

-- name: find_batch_of_row
-- For reports, which go from a row to its batch.
create unique index if not exists memberships_by_row on memberships (row_id);

-- name: index_groups
-- Batches of a silent import do not lead to the rows of a group.
create index if not exists rows_by_group on rows (group_id) where group_id is not null;

-- name: count_messages
-- In: add (action), call (UIDs in a call), together (rows of a silent call). Every change writes a message into its group, at most; a silent
-- import writes none. Where only members are added, both ways are counted.
insert into counters (region_id, name, n)
  with sent as materialized (
    select b.region_id, max(g.guid = '') as silent, sum(b.size) as size, count(*) as calls, count(distinct cg.group_id) as groups,
           max(cg.action_id <> :add or cg.on_behalf_of <> '' or b.bans > 0) as others
      from batches b join call_groups cg on cg.id = b.call_group_id join groups g on g.id = cg.group_id group by b.region_id),
  ways as (
    select region_id, 'addedCalls' as name, calls as n from sent where not silent
    union all
    select region_id, 'addedCalls', sum((n + cast(:call as integer) - 1) / cast(:call as integer))
      from (select s.region_id, r.group_id, count(*) as n from sent s cross join rows r on r.region_id = s.region_id
             where s.silent and r.call_group_id is not null group by s.region_id, r.group_id)
     group by region_id
    union all
    select region_id, 'addedMessages', size from sent
    union all
    select region_id, 'silentCalls', (size + cast(:together as integer) - 1) / cast(:together as integer) from sent)
  select region_id, 'messages', size from sent where not silent
  union all
  select region_id, 'messageGroups', groups from sent where not silent
  union all
  select region_id, name, n from ways where not exists (select 1 from sent where others);
