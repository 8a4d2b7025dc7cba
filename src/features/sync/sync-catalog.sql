-- Statements on the syncs of the catalog, by name.

-- name: find_sync
-- In: id. Out: the sync; nothing where there is none.
select * from sync_records where id = :id;

-- name: undos
-- In: import (id). Out: syncs that undo it, oldest first.
select * from sync_records where undoOf = :import order by createdAt, id;

-- name: list_syncs
-- In: limit. Out: newest first.
select * from sync_records order by createdAt desc, id desc limit :limit;

-- name: sync_page
-- In: created_at and id of the sync before the page, states (JSON array, null: any), limit. Out: newest first.
select * from sync_records
 where (createdAt, id) < (:created_at, :id) and (:states is null or state in (select value from json_each(:states)))
 order by createdAt desc, id desc limit :limit;

-- name: syncs_under_way
-- Out: syncs that a process should be working on, oldest first.
select * from sync_records where state in ('planning', 'applying') order by createdAt, id;

-- name: syncs_before
-- In: schedule (null: none), source, before (id of a sync). Out: ids of earlier runs of the same sync that were carried
-- out or had nothing to do, newest first.
select s.id from syncs s join syncs this on this.id = :before
 where s.undo_of is null and s.state in ('applied', 'unchanged') and s.schedule_id is :schedule
   and (:schedule is not null or s.source = :source)
   and (s.created_at, s.id) < (this.created_at, this.id)
 order by s.created_at desc, s.id desc limit 10;

-- name: outdated_syncs
-- In: before (ms). Out: ids of syncs that had finished before that, and of plans from before that which were never applied;
-- but not of the run with which the next one of the same sync is compared.
select s.id from syncs s
 where (s.finished_at < :before or (s.state = 'planned' and s.created_at < :before))
   and (s.undo_of is not null or s.state not in ('applied', 'unchanged') or exists (
         select 1 from syncs later
          where later.undo_of is null and later.state in ('applied', 'unchanged')
            and later.schedule_id is s.schedule_id and (s.schedule_id is not null or later.source = s.source)
            and (later.created_at, later.id) > (s.created_at, s.id)))
 order by s.created_at, s.id;

-- name: remove_sync
-- In: id. Deletes the sync with its transitions.
delete from syncs where id = :id;

-- name: sync_transitions
-- In: id. Out: its moves, in their order.
select at, state, reason, who from sync_transitions where sync_id = :id order by rowid;

-- name: add_sync
-- In: id, file, source, options (JSON), undo_of (import, null), schedule (null), at (ms). A new sync, in state planning.
insert into syncs (id, state, reason, file, source, options, undo_of, schedule_id, created_at)
  values (:id, 'planning', 'created', :file, :source, :options, :undo_of, :schedule, :at);

-- name: set_totals
-- In: id, totals (JSON). The totals of its plan.
update syncs set totals = :totals where id = :id;

-- name: approve
-- In: id, who, at (ms), reason. Notes the person who let it through although a guard objects.
update syncs set approved_by = :who, approved_at = :at, approval = :reason where id = :id;

-- name: set_import
-- In: id, import (id, null). The import that carries it out.
update syncs set import_id = :import where id = :id;

-- name: move_sync
-- In: id, state, reason, code (null: none), finished (ms, null: it has not finished).
update syncs set state = :state, reason = :reason, code = :code, finished_at = :finished where id = :id;

-- name: journal_sync
-- In: id, at (ms), state, reason, who (empty: the sync itself). Adds a move to the history of a sync.
insert into sync_transitions (sync_id, at, state, reason, who) values (:id, :at, :state, :reason, :who);

-- name: count_syncs
-- In: states (JSON array). Out: how many syncs are in each of these states; those without any are left out.
select state, count(*) as syncs from syncs where state in (select value from json_each(:states)) group by state;
