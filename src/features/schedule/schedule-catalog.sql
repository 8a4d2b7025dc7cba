-- Statements on the schedules of the catalog, by name.

-- name: find_schedule
-- In: name. Out: the schedule; nothing where there is none.
select schedule from schedules where name = :name;

-- name: list_schedules
-- Out: all schedules by name.
select schedule from schedules order by name;

-- name: save_schedule
-- In: name, schedule (JSON). Adds a schedule, or writes it as it is now.
insert into schedules (name, schedule) values (:name, :schedule)
  on conflict do update set schedule = excluded.schedule;

-- name: remove_schedule
-- In: name. Removes a schedule with its runs.
delete from schedules where name = :name;

-- name: add_run
-- In: schedule, run (JSON). Out: the id of the new run.
insert into schedule_runs (schedule, run) values (:schedule, :run) returning id;

-- name: change_run
-- In: id, changes (JSON).
update schedule_runs set run = json_patch(run, :changes) where id = :id;

-- name: find_run
-- In: id. Out: the run; nothing where there is none.
select run from schedule_run_records where id = :id;

-- name: runs_in_state
-- Out: oldest first.
select run from schedule_run_records where state = :state order by id;

-- name: run_of_sync
-- In: sync (id). Out: the run that began it; nothing where none did.
select run from schedule_run_records where sync_id = :sync;

-- name: schedule_runs
-- In: schedule, limit. Out: newest first.
select run from schedule_run_records where schedule = :schedule order by id desc limit :limit;

-- name: schedule_runs_since
-- In: schedule, since (ISO 8601). Out: runs that were due since then, oldest first.
select run from schedule_run_records where schedule = :schedule and due_at >= :since order by id;

-- name: schedule_health
-- Out: by name: nextDue (ms; null while it is paused), success (ms, when the last run that put everyone in place ended; null: none has),
-- unsuccessful (runs since then that ended otherwise, or wait for a person). A sync that was removed since counts as well done.
select s.name, iif(s.schedule ->> 'paused', null, s.schedule ->> 'nextDue') as nextDue,
       (select coalesce(y.finished_at, cast(round(unixepoch(r.run ->> 'at', 'subsec') * 1000) as integer)) from schedule_runs r left join syncs y on y.id = r.sync_id
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
