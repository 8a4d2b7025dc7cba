-- Statements on the catalog, by name.

-- name: coordinator
select id from coordinator;

-- name: find
select id, state, reason, file, source, options, retry_of as retryOf,
       created_at as createdAt, started_at as startedAt, finished_at as finishedAt
  from imports where id = :id;

-- name: list
-- In: limit. Out: newest first.
select id, state, reason, file, source, options, retry_of as retryOf,
       created_at as createdAt, started_at as startedAt, finished_at as finishedAt
  from imports order by created_at desc, id desc limit :limit;

-- name: add
insert into imports (id, state, reason, file, source, options, retry_of, created_at)
  values (:id, 'staging', 'created', :file, :source, :options, :retry_of, :at);

-- name: move
update imports set state = :state, reason = :reason,
       started_at = coalesce(started_at, :started), finished_at = :finished where id = :id;

-- name: journal
insert into transitions (import_id, at, state, reason) values (:id, :at, :state, :reason);
