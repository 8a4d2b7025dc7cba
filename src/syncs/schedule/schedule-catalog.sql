-- Statements on the schedules of the catalog, by name.

-- name: schedules_owner
-- Out: the id of this data directory.
select id from coordinator;

-- name: find_schedule
-- In: name. Out: the schedule; nothing where there is none.
select * from schedules where name = :name;

-- name: list_schedules
-- Out: all schedules by name.
select * from schedules order by name;

-- name: add_schedule
-- In: its columns, at (ms, when it is made). Adds a schedule.
insert into schedules
  (name, cron, tz, file, source, headers, max_source, protect_file, options, repair, catch_up, created_at, next_due)
  values (:name, :cron, :tz, :file, :source, :headers, :max_source, :protect_file, :options, :repair, :catch_up, :at, :next_due);

-- name: remove_schedule
-- With its runs and failures.
delete from schedules where name = :name;

-- name: pause_schedule
-- In: name, paused (0 or 1), next_due (ms).
update schedules set paused = :paused, next_due = :next_due where name = :name;

-- name: set_due
-- In: name, next_due (ms). When it runs next.
update schedules set next_due = :next_due where name = :name;

-- name: set_copy
-- In: name, hash, etag, modified (null: none). The copy of its source that is kept now.
update schedules set copy_hash = :hash, copy_etag = :etag, copy_modified = :modified where name = :name;

-- name: set_placed
-- In: name, hash (null: none). The source that is now in place as a whole.
update schedules set placed_hash = :hash where name = :name;

-- name: add_run
-- In: schedule, due (ms), at (ms), state, reason, who. Out: the new run.
insert into schedule_runs (schedule, due_at, at, state, reason, who)
  values (:schedule, :due, :at, :state, :reason, :who) returning *;

-- name: set_run
-- In: id, state, reason.
update schedule_runs set state = :state, reason = :reason where id = :id;

-- name: set_run_sync
-- In: id, sync (id). The sync that the run has begun.
update schedule_runs set sync_id = :sync where id = :id;

-- name: find_run
-- In: id. Out: the run; nothing where there is none.
select * from schedule_runs where id = :id;

-- name: runs_in_state
-- Out: oldest first.
select * from schedule_runs where state = :state order by id;

-- name: run_of_sync
-- In: sync (id). Out: the run that began it; nothing where none did.
select * from schedule_runs where sync_id = :sync;

-- name: schedule_runs
-- In: schedule, limit. Out: newest first.
select * from schedule_runs where schedule = :schedule order by id desc limit :limit;

-- name: note_failure
-- Since when: as long as it is the same fault.
insert into schedule_failures (schedule, region, guid, uid, code, since, run)
  values (:schedule, :region, :guid, :uid, :code, :at, :run)
  on conflict (schedule, region, guid, uid) do update
  set since = iif(code = excluded.code, since, excluded.since), code = excluded.code, run = excluded.run;

-- name: forget_failures
-- In: run, the last one, limit. What has not failed in it does not fail any more.
delete from schedule_failures where (schedule, region, guid, uid) in (
  select schedule, region, guid, uid from schedule_failures where schedule = :schedule and run <> :run limit :limit);

-- name: count_failures
-- In: at, when the last run began. Out: how many rows fail, how many failed before, and since when the oldest does.
select count(*) as rows, count(*) filter (where since < :at) as earlier, min(since) as since
  from schedule_failures where schedule = :schedule;

-- name: failures
-- Out: the oldest first.
select region, guid, uid, code, since from schedule_failures
 where schedule = :schedule order by since, region, guid, uid limit :limit;

-- name: schedule_health
-- Out: by name: paused, next_due (ms), success (ms, when the last run that put everybody in place ended; null: none has),
-- unsuccessful (runs since then that ended otherwise, or wait for a person). A sync that was removed since counts as well done.
select s.name, s.paused, s.next_due,
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
