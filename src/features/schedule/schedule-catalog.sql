-- Statements on the schedules of the catalog, by name.

-- name: find_schedule
-- In: name. Out: the schedule; nothing where there is none.
select * from schedule_records where name = :name;

-- name: list_schedules
-- Out: all schedules by name.
select * from schedule_records order by name;

-- name: add_schedule
-- In: name, settings (JSON), at (ms, when it is made), next_due (ms). Adds a schedule.
insert into schedules (name, settings, timed_at, created_at, next_due) values (:name, :settings, :at, :at, :next_due);

-- name: edit_schedule
-- In: name, settings (JSON), timed_at (ms), next_due (ms), copy. Replaces the settings. The last run's file is forgotten: the
-- next run looks at the groups in any case.
update schedules
   set settings = :settings, timed_at = :timed_at, next_due = :next_due, copy = :copy, version = version + 1, placed_hash = null
 where name = :name;

-- name: remove_schedule
-- With its runs.
delete from schedules where name = :name;

-- name: set_paused
-- In: name, paused (0 or 1), next_due (ms).
update schedules set paused = :paused, next_due = :next_due where name = :name;

-- name: begin_pause
-- In: schedule, at (ms).
insert or replace into schedule_pauses (schedule, since) values (:schedule, :at);

-- name: end_pause
-- In: schedule, at (ms).
update schedule_pauses set until = :at where schedule = :schedule and until is null;

-- name: pauses_since
-- In: schedule, since (ms). Out: pauses that ended later or have not ended (until: null), oldest first.
select since, until from schedule_pauses
 where schedule = :schedule and coalesce(until, :since) >= :since order by since;

-- name: set_due
-- In: name, next_due (ms). When it runs next.
update schedules set next_due = :next_due where name = :name;

-- name: set_copy
-- In: name, version, copy (JSON). The copy of its source that is kept now, unless it was edited since.
update schedules set copy = :copy where name = :name and version = :version;

-- name: set_placed
-- In: name, version, hash (null: none). The source whose rows are now all in place, unless it was edited since.
update schedules set placed_hash = :hash where name = :name and version = :version;

-- name: add_run
-- In: schedule, due (ms), at (ms), state, reason, who. Out: the new run.
insert into schedule_runs (schedule, due_at, at, state, reason, who)
  values (:schedule, :due, :at, :state, :reason, :who)
  returning id, schedule, due_at as dueAt, at, state, reason, who, sync_id as syncId;

-- name: set_run
-- In: id, state, reason.
update schedule_runs set state = :state, reason = :reason where id = :id;

-- name: set_run_sync
-- In: id, sync (id). The sync that the run has begun.
update schedule_runs set sync_id = :sync where id = :id;

-- name: find_run
-- In: id. Out: the run; nothing where there is none.
select * from schedule_run_records where id = :id;

-- name: runs_in_state
-- Out: oldest first.
select * from schedule_run_records where state = :state order by id;

-- name: run_of_sync
-- In: sync (id). Out: the run that began it; nothing where none did.
select * from schedule_run_records where syncId = :sync;

-- name: schedule_runs
-- In: schedule, limit. Out: newest first.
select * from schedule_run_records where schedule = :schedule order by id desc limit :limit;

-- name: schedule_runs_since
-- In: schedule, since (ms). Out: runs that were due since then, oldest first.
select * from schedule_run_records where schedule = :schedule and dueAt >= :since order by id;

-- name: schedule_health
-- Out: by name: paused, nextDue (ms), success (ms, when the last run that put everyone in place ended; null: none has),
-- unsuccessful (runs since then that ended otherwise, or wait for a person). A sync that was removed since counts as well done.
select s.name, s.paused, s.next_due as nextDue,
       (select coalesce(y.finished_at, r.at) from schedule_runs r left join syncs y on y.id = r.sync_id
         where r.id = last.id) as success,
       (select count(*) from schedule_runs r
         where r.schedule = s.name and r.id > coalesce(last.id, 0) and r.state <> 'running') as unsuccessful
  from schedules s
  left join schedule_runs last on last.id = (
    select r.id from schedule_runs r left join syncs y on y.id = r.sync_id
     where r.schedule = s.name
       and (r.state = 'skipped-unchanged'
            or (r.state = 'ran' and coalesce(y.state, 'applied') in ('applied', 'unchanged', 'planned')))
     order by r.id desc limit 1)
 order by s.name;
