-- Statements on the catalog, by name.

-- name: coordinator
-- Out: the id of this data directory.
select id from coordinator;

-- name: find
-- In: id. Out: the import; nothing where there is none.
select id, state, reason, code, remedy, file, source, options, retry_of as retryOf,
       created_at as createdAt, started_at as startedAt, finished_at as finishedAt
  from imports where id = :id;

-- name: list
-- In: limit. Out: newest first.
select id, state, reason, code, remedy, file, source, options, retry_of as retryOf,
       created_at as createdAt, started_at as startedAt, finished_at as finishedAt
  from imports order by created_at desc, id desc limit :limit;

-- name: page
-- In: created_at and id of the import before the page, states (JSON array, null: any), limit. Out: newest first.
select id, state, reason, code, remedy, file, source, options, retry_of as retryOf,
       created_at as createdAt, started_at as startedAt, finished_at as finishedAt
  from imports
 where (created_at, id) < (:created_at, :id) and (:states is null or state in (select value from json_each(:states)))
 order by created_at desc, id desc limit :limit;

-- name: retries
-- In: id. Out: imports that retry rows of this one, oldest first.
select id, state, reason, code, remedy, file, source, options, retry_of as retryOf,
       created_at as createdAt, started_at as startedAt, finished_at as finishedAt
  from imports where retry_of = :id order by created_at, id;

-- name: transitions
-- In: id, since (ms). Out: moves of an import at that time or later, in their order.
select at, state, reason from transitions where import_id = :id and at >= :since order by rowid;

-- name: add
-- In: id, file, source, options (JSON), retry_of (id, null: none), at (ms). A new import, in state staging.
insert into imports (id, state, reason, file, source, options, retry_of, created_at)
  values (:id, 'staging', 'created', :file, :source, :options, :retry_of, :at);

-- name: set_options
-- In: id, options (JSON).
update imports set options = :options where id = :id;

-- name: move
-- In: id, state, reason, code and remedy (null: none), under_way (1: a process stays at work on it), started and finished (ms, null).
-- A move is progress: what a process died of before is behind it.
update imports set state = :state, reason = :reason, code = :code, remedy = :remedy,
       attended = attended and :under_way, deaths = 0, started_at = coalesce(started_at, :started), finished_at = :finished
 where id = :id;

-- name: attend
-- A process is at work on it from now on.
update imports set attended = 1 where id = :id;

-- name: progressed
-- In: id. What a process died of before is behind it.
update imports set deaths = 0 where id = :id;

-- name: leave_all
-- A process that ends as it should is at work on nothing any more.
update imports set attended = 0 where attended = 1;

-- name: count_deaths
-- At the start of a process: what one before it was at work on, it died in the middle of.
update imports set deaths = deaths + 1, attended = 0 where attended = 1;

-- name: deaths
-- In: id. Out: how often a process died at it since it last made progress.
select deaths from imports where id = :id;

-- name: journal
-- In: id, at (ms), state, reason. Adds a move to the history of an import.
insert into transitions (import_id, at, state, reason) values (:id, :at, :state, :reason);

-- name: unfinished
-- Out: imports that are not over, oldest first.
select id, state, reason, code, remedy, file, source, options, retry_of as retryOf,
       created_at as createdAt, started_at as startedAt, finished_at as finishedAt
  from imports where finished_at is null order by created_at, id;

-- name: finished_before
-- In: before (ms). Out: ids of imports that were over by then, oldest first.
select id from imports where finished_at < :before order by finished_at, id;

-- name: forget_origin
-- Retries of an import that is removed stay, and say no more what they are a retry of.
update imports set retry_of = null where retry_of = :id;

-- name: remove
-- With its transitions.
delete from imports where id = :id;
