-- Statements on the syncs of the catalog, by name.

-- name: find_sync
-- In: id. Out: the sync; nothing where there is none.
select sync from syncs where id = :id;

-- name: retries_of
-- In: ids (JSON array of imports). Out: imports that retried rows of them and are over.
select id from imports where retry_of in (select value from json_each(:ids)) and finished_at is not null;

-- name: last_expiry
-- Out: the expiry that was begun last; nothing where there is none.
select sync from syncs where sync ->> 'mode' = 'expiry' order by created_at desc, id desc limit 1;

-- name: sync_page
-- In: created_at and id of the sync before the page, states (JSON array, null: any), limit. Out: newest first.
select sync from syncs
 where (created_at, id) < (:created_at, :id) and (:states is null or state in (select value from json_each(:states)))
 order by created_at desc, id desc limit :limit;

-- name: syncs_under_way
-- Out: syncs that a process should be working on, oldest first.
select sync from syncs where state in ('planning', 'applying') order by created_at, id;

-- name: syncs_before
-- In: before (id of a sync). Out: earlier runs of the same sync that were carried out or had nothing to do, newest first.
-- The same sync has the same name, which is that of a schedule too; where one has no name, the same source outside schedules.
with named as (select *, coalesce(schedule, sync ->> 'syncName') as name from syncs)
select s.sync from named s join named this on this.id = :before
 where s.undo_of is null and s.state in ('applied', 'unchanged')
   and (s.name = this.name
     or (s.source = this.source and coalesce(s.schedule, this.schedule) is null and (s.name is null or this.name is null)))
   and (s.created_at, s.id) < (this.created_at, this.id)
 order by s.created_at desc, s.id desc limit 10;

-- name: outdated_syncs
-- In: before (ms). Out: ids of syncs that had finished before that, and of plans from before that which were never applied;
-- but not of the run with which the next one of the same sync is compared.
with named as (select *, coalesce(schedule, sync ->> 'syncName') as name from syncs)
select s.id from named s
 where (s.finished_at < :before or (s.state = 'planned' and s.created_at < :before))
   and (s.undo_of is not null or s.state not in ('applied', 'unchanged') or exists (
         select 1 from named later
          where later.undo_of is null and later.state in ('applied', 'unchanged')
            and later.name is s.name and (s.name is not null or later.source = s.source)
            and (later.created_at, later.id) > (s.created_at, s.id)))
 order by s.created_at, s.id;

-- name: remove_sync
-- In: id.
delete from syncs where id = :id;

-- name: save_sync
-- In: id, sync (JSON). A new sync, or one that has changed.
insert into syncs (id, sync) values (:id, :sync) on conflict (id) do update set sync = excluded.sync;

-- name: count_syncs
-- In: states (JSON array). Out: how many syncs are in each of these states; those without any are left out.
select state, count(*) as syncs from syncs where state in (select value from json_each(:states)) group by state;
