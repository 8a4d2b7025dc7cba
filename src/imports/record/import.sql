-- Statements on an import's file, by name. Each says what it takes and gives.
-- States of a batch are written out: SQLite uses an index of the batches in one state only where the statement says the state itself.
-- Statements that run for every batch take their values by place, in the order of "In": by name takes longer than inserting a row.

-- name: pending_batches
-- In: region, turn and id (of the batch before), except (JSON array of groups), limit. Out: batches to send, first ones of all groups first.
select b.id, b.uncertainty, g.guid, cg.on_behalf_of, cg.action_id, b.standing, b.turn, cg.group_id
  from batches b join call_groups cg on cg.id = b.call_group_id join groups g on g.id = cg.group_id
 where b.state = 'pending' and b.region_id = :region and (b.turn, b.id) > (:turn, :id)
   and cg.group_id not in (select value from json_each(:except))
 order by b.turn, b.id limit :limit;

-- name: pending_of_group
-- In: region, group, limit. Out: its batches to send next.
select b.id, b.uncertainty, g.guid, cg.on_behalf_of, cg.action_id, b.standing, b.turn, cg.group_id
  from call_groups cg cross join batches b on b.call_group_id = cg.id join groups g on g.id = cg.group_id
 where cg.group_id = :group and b.state = 'pending' and b.region_id = :region
 order by b.turn, b.id limit :limit;

-- name: dispatched_batches
-- In: region, before (ms), limit. Out: batches that were queued before that and have no result, oldest first.
select b.id, b.uncertainty, g.guid, cg.on_behalf_of, cg.action_id, b.standing, b.turn, cg.group_id
  from batches b join call_groups cg on cg.id = b.call_group_id join groups g on g.id = cg.group_id
 where b.state = 'dispatched' and b.region_id = :region and b.dispatched_at < :before
 order by b.dispatched_at, b.id limit :limit;

-- name: rows_to_send
-- In: batches (JSON array of ids). Out: their rows, batch by batch in the order of the input: that is how they are stored.
select m.batch_id, m.row_id, r.uid, m.scope_id
  from json_each(?) b cross join memberships m on m.batch_id = b.value cross join rows r on r.id = m.row_id;

-- name: rows_to_import
-- The same of batches whose rows may be of any groups, with the GUID of each and when its user joined (null: not said).
select m.batch_id, m.row_id, r.uid, m.scope_id, g.guid, r.joined_at
  from json_each(?) b cross join memberships m on m.batch_id = b.value cross join rows r on r.id = m.row_id cross join groups g on g.id = r.group_id;

-- name: rows_of_batch
-- In: batch. Out: its rows, highest scope first.
select row_id, scope_id from memberships where batch_id = :batch order by scope_id, row_id;

-- name: mark_dispatched
-- In: batches (JSON array of ids), at (ms). They are in the queue, for the first time or again.
update batches set state = 'dispatched', dispatched_at = :at
 where id in (select value from json_each(:batches)) and state in ('pending', 'dispatched');

-- name: reclaim
-- In: batch, uncertainty (null: it was certainly not sent), calls made. It left the queue without a result, and is pending again.
update batches set state = 'pending', uncertainty = coalesce(:uncertainty, uncertainty), calls = calls + :calls
 where id = :batch and state = 'dispatched';

-- name: reclaim_all
-- In: uncertainty. After a crash, dispatched batches are pending again. They may have been sent.
update batches set state = 'pending', uncertainty = coalesce(uncertainty, :uncertainty)
 where state = 'dispatched';

-- name: sent_from
-- Out: the file that this ledger was last sent from, as the system knows it; null: it was not.
select file from input;

-- name: send_from
-- In: file. From here on it is sent from there.
update input set file = ?;

-- name: doubt_rest
-- In: uncertainty. Another ledger may have sent what has no result here.
update batches set uncertainty = coalesce(uncertainty, :uncertainty) where state in ('pending', 'dispatched', 'waiting', 'later');

-- name: batch
-- In: batch. Out: its state, and what recording a result of it needs.
select b.id, b.state, b.size, b.bans, b.region_id, b.users, b.uncertainty, b.dispatched_at,
       cg.group_id, cg.on_behalf_of, cg.action_id
  from batches b join call_groups cg on cg.id = b.call_group_id where b.id = ?;

-- name: add_call
-- In: batch, region, start (ms), duration (ms), http_status, code, kind, message, request_id (import-schema.sql). Adds a call.
insert into calls (batch_id, region_id, at, ms, http_status, code, kind, message, request_id)
  values (?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: finish_batch
-- In: state (done, replaced), calls made, http_status, members, messages, at, uncertainty, batch.
update batches set state = ?, calls = calls + ?, http_status = ?, members = ?, messages = ?, finished_at = ?,
       uncertainty = coalesce(?, uncertainty)
 where id = ?;

-- name: succeed_batch
-- In: ban (scope), banned, added (outcomes), batch. Rows without an outcome are added, or banned where that was asked.
update memberships set outcome_id = case scope_id when ? then ? else ? end
 where batch_id = ? and outcome_id is null;

-- name: settle_batch
-- In: batch, outcome, code, message. Gives them to its rows that have no outcome yet.
update memberships set outcome_id = :outcome, code = :code, message = :message
 where batch_id = :batch and outcome_id is null;

-- name: settle_row
-- In: batch, row, outcome, code, message. Gives them to one row.
update memberships set outcome_id = :outcome, code = :code, message = :message
 where batch_id = :batch and row_id = :row;

-- name: note_row
-- In: batch, row, code, message (null: none). Notes them with a row that has no outcome yet.
update memberships set code = :code, message = :message where batch_id = :batch and row_id = :row;

-- name: outcomes_of_batch
-- In: batch. Out: its rows counted by outcome.
select o.name, count(*) as n from memberships m join outcomes o on o.id = m.outcome_id
 where m.batch_id = :batch group by m.outcome_id;

-- name: add_batch
-- In: parent and what the new batch holds. A smaller batch in its parent's place, with its parent's history.
insert into batches (call_group_id, region_id, turn, size, bans, parent, standing, users, uncertainty, calls)
  select call_group_id, region_id, turn, :size, :bans, id, :standing, users, :uncertainty, calls + :calls
    from batches where id = :parent;

-- name: move_row
-- In: from, to (batches), row. Moves a row into another batch.
update memberships set batch_id = :to where batch_id = :from and row_id = :row;

-- name: refuse_group
-- In: group, code, message. Records that the service refused the whole group; the first refusal stays.
update groups set refused_code = :code, refused_message = :message where id = :group and refused_code is null;

-- name: settle_group_rows
-- In: group, unsent (1: rows that were certainly not sent, 0: the others), outcome, code, message. Its pending rows get this outcome.
update memberships set outcome_id = :outcome, code = :code,
       message = case when uncertainty is null then 'not sent, ' || :message else 'not sent again, ' || :message || '; ' || uncertainty end
  from (select b.id, b.uncertainty from batches b join call_groups cg on cg.id = b.call_group_id
         where cg.group_id = :group and b.state = 'pending') as rest
 where memberships.batch_id = rest.id and outcome_id is null and (uncertainty is null) = :unsent;

-- name: close_group_batches
-- In: group, at (ms). Its pending batches are done.
update batches set state = 'done', finished_at = :at
 where state = 'pending' and call_group_id in (select id from call_groups where group_id = :group);

-- name: dispatched_of_group
-- In: group. Out: ids of its batches that are in the queue.
select b.id from batches b join call_groups cg on cg.id = b.call_group_id where cg.group_id = :group and b.state = 'dispatched';

-- name: stop_region
-- In: region, code, message, at (ms). Nothing more is sent there; the first reason stays.
update regions set stopped_code = :code, stopped_message = :message, stopped_at = :at
 where id = :region and stopped_code is null;

-- name: start_regions
-- Lets all regions that are stopped send again.
update regions set stopped_code = null, stopped_message = null, stopped_at = null where stopped_code is not null;

-- name: stopped_regions
-- Out: regions that are stopped, with code and message.
select name as region, stopped_code as code, stopped_message as message from regions
 where stopped_code is not null order by id;

-- name: open_regions
-- Out: regions of batches that are to be sent or have no result.
select distinct region_id as id from batches where state in ('pending', 'dispatched') order by 1;

-- name: leave_rest
-- In: unprocessed (of rows that were certainly not sent), unconfirmed (of the others; both outcomes), message.
update memberships set
       outcome_id = case when uncertainty is null then :unprocessed else :unconfirmed end,
       code = case when uncertainty is null then 'NOT_SENT' else 'NO_ANSWER' end,
       message = case when uncertainty is null then :message else 'sent, and the import was ended before an answer came: ' || uncertainty end
  from (select id, uncertainty from batches where state in ('pending', 'dispatched', 'waiting', 'later')) as rest
 where memberships.batch_id = rest.id and memberships.outcome_id is null;

-- name: count_rest
-- Out: rows of batches without an end, by region and whether they were certainly not sent.
select b.region_id as region, (b.uncertainty is null) as unsent, sum(b.size) as n from batches b
 where b.state in ('pending', 'dispatched', 'waiting', 'later') group by 1, 2;

-- name: close_rest
-- In: at (ms). Every batch without an end is done.
update batches set state = 'done', finished_at = :at where state in ('pending', 'dispatched', 'waiting', 'later');

-- name: ask_rest
-- In: add (action), standing. Only additions that an earlier call may have carried out stay pending, with this standing.
update batches
   set standing = iif(is_asked, :standing, standing), state = iif(is_asked, 'pending', 'later')
  from (select b.id as asked_id,
               b.uncertainty is not null and cg.action_id = :add
                 and b.id not in (select batch_id from creations where batch_id is not null) as is_asked
          from batches b join call_groups cg on cg.id = b.call_group_id where b.state = 'pending') as rest
 where batches.id = rest.asked_id;

-- name: later_batches
-- Out: how many batches wait until the rows to try first are sent.
select count(*) as n from batches where state = 'later';

-- name: release_later
-- These batches may be sent now.
update batches set state = 'pending' where state = 'later';

-- name: count_removals
-- In: remove, add (actions), ban (scope). Out: the number of removals and bans.
select count(*) as n from memberships m join batches b on b.id = m.batch_id join call_groups cg on cg.id = b.call_group_id
 where cg.action_id = :remove or (cg.action_id = :add and m.scope_id = :ban);

-- name: add_to_counter
-- In: region, name, n. Adds n to a counter.
insert into counters (region_id, name, n) values (:region, :name, :n)
  on conflict (region_id, name) do update set n = n + excluded.n;

-- name: counters
-- Out: the counters by name, region by region; first those of no region ('').
select coalesce(r.name, '') as region, t.name, t.n from counters t left join regions r on r.id = t.region_id order by t.region_id;

-- name: regions_used
-- Out: regions of the groups that get rows.
select distinct b.region_id as id from batches b order by b.region_id;

-- name: recount
-- The same numbers as the counters, from the rows themselves. To group rows, SQLite sorts them: those with the usual outcome are not.
select 'read' as name, count(*) as n from rows
union all
select 'invalid', count(distinct row_id) from problems
union all
select 'duplicate', count(*) from duplicates
union all
select 'skipped', count(*) from skipped
union all
select 'added', count(*) from memberships where outcome_id = (select id from outcomes where name = 'added')
union all
select coalesce(o.name, 'unprocessed'), count(*) from memberships m left join outcomes o on o.id = m.outcome_id
 where m.outcome_id is not (select id from outcomes where name = 'added')
 group by m.outcome_id;

-- name: group
-- In: group. Out: its region, GUID and refusal (null: none).
select region_id, guid, refused_code, refused_message from groups where id = :group;

-- name: input
-- Out: what the input was.
select format, kind, delimiter, columns, recognised, notes, shaped, rows_read from input;

-- name: rows_and_memberships
-- Out: what the reader counted and what the ledger has, to check that no row of the input lacks a membership.
select i.rows_read, i.entries,
       r.rows_kept,
       r.rows_kept - (select count(*) from parts where part > 1) as read_kept,
       (select count(*) from (select max(part) <> count(*) as gap from parts group by first_row) where gap) as gaps
  from input i, (select count(*) as rows_kept from rows) r;

-- name: index_uids
-- Makes rows quick to find by UID.
create index if not exists rows_by_uid on rows (uid_hash) where uid_hash is not null;
