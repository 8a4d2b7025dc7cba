-- Statements on the catalog, by name.

-- name: coordinator
-- Out: the id of this data directory.
select id from coordinator;

-- name: worked_in
-- Out: the file of the catalog in which it was last worked with (null: never), and its data directory.
select file, root from coordinator;

-- name: work_in
-- In: file, root.
update coordinator set file = ?, root = ?;

-- name: goes_on
-- Out: whether something in this data directory would send at its time, or when a person continues it.
select exists (select 1 from imports where finished_at is null) or exists (select 1 from schedules) as yes;

-- name: find
-- In: id. Out: the import; nothing where there is none.
select * from import_records where id = :id;

-- name: list
-- In: limit. Out: newest first.
select * from import_records order by createdAt desc, id desc limit :limit;

-- name: page
-- In: created_at and id of the import before, limit, and (null: anything) states and kinds (JSON arrays), search (in file, id, reason or a
-- tag), since and until (ms), created_by, tags (JSON array: all of them), problems (1: something needs a person). Out: newest first.
select * from import_records i
 where (createdAt, id) < (:created_at, :id) and createdAt >= :since and createdAt < :until
   and (:states is null or state in (select value from json_each(:states)))
   and (:kinds is null or iif(id glob 'undo-*', 'undo', iif(id glob 'sync-*', 'sync', iif(retryOf is null, 'file', 'retry')))
        in (select value from json_each(:kinds)))
   and (:search is null or instr(lower(concat_ws(char(10), file, id, reason,
        (select group_concat(value, char(10)) from json_each(tags)))), lower(:search)) > 0)
   and (:created_by is null or createdBy = :created_by collate nocase)
   and (:tags is null or not exists (
        select 1 from json_each(:tags) wanted
         where not exists (select 1 from json_each(i.tags) own where own.value = wanted.value collate nocase)))
   and (:problems = 0 or state in ('blocked', 'failed', 'rejected', 'aborted')
        or exists (select 1 from open_problems p where p.id = i.id))
 order by createdAt desc, id desc limit :limit;

-- name: undone
-- Out: ids of imports that an undo has reversed.
select distinct undo_of as id from syncs where undo_of is not null and state in ('applied', 'unchanged');

-- name: retries
-- In: id. Out: imports that retry rows of this one, oldest first.
select * from import_records where retryOf = :id order by createdAt, id;

-- name: undos
-- In: id. Out: syncs that undo this import, oldest first, each with the import that carries it out.
select id, state, sync ->> 'importId' as importId from syncs where undo_of = :id order by created_at, id;

-- name: same_source_before
-- In: id. Out: completed imports of the same file before it, newest first: of the same path or, where it came in, name.
select b.id from imports i
  join imports b on b.id <> i.id and b.created_at <= i.created_at and b.state = 'completed' and b.retry_of is null
    and b.id not glob 'undo-*' and b.id not glob 'sync-*'
    and json_extract(b.options, '$.sandbox') = json_extract(i.options, '$.sandbox')
    and (b.source = i.source
         or b.file = i.file and i.source like '%/' || i.id || '/input' and b.source like '%/' || b.id || '/input')
 where i.id = :id order by b.created_at desc, b.id desc limit 20;

-- name: transitions
-- In: id, since (ms). Out: moves of an import at that time or later, in their order.
select at, state, reason from transitions where import_id = :id and at >= :since order by rowid;

-- name: add
-- In: the columns of import_records. A new import, or one of a lost catalog as it was.
insert into imports (id, state, reason, code, remedy, file, source, options, retry_of, created_by, tags, totals, created_at,
                     started_at, finished_at)
  values (:id, :state, :reason, :code, :remedy, :file, :source, :options, :retryOf, :createdBy, :tags, :totals, :createdAt,
          :startedAt, :finishedAt);

-- name: set_tags
-- In: id, value (JSON array).
update imports set tags = :value where id = :id;

-- name: set_totals
-- In: id, value (JSON).
update imports set totals = :value where id = :id;

-- name: attention
-- In: limit. Out: imports that are over and have rows that need attention, most first: more than were dismissed or sent again. Imports that
-- were cancelled or taken back, or are of a run of a schedule that a later one has replaced, are not among them.
select i.* from open_problems p join import_records i on i.id = p.id
 where i.finishedAt is not null and i.state <> 'cancelled'
   and p.rows > coalesce((select rows from dismissed where import_id = i.id), 0)
   and not exists (select 1 from syncs where undo_of = i.id and state in ('applied', 'unchanged'))
   and not exists (select 1 from syncs own join syncs later on later.schedule = own.schedule
                    where own.id = i.id and later.created_at > own.created_at
                      and later.state in ('applied', 'unchanged', 'incomplete'))
 order by p.rows desc, i.createdAt desc, i.id desc limit :limit;

-- name: dismiss
-- In: id. Its rows that need attention now are left as they are.
insert into dismissed (import_id, rows)
  select :id, coalesce(sum(rows), 0) from import_problems where import_id = :id
  on conflict do update set rows = excluded.rows;

-- name: forget_problems
-- In: id. Before they are noted again.
delete from import_problems where import_id = :id;

-- name: note_problems
-- In: id, code, rows. Rows with this code need a person.
insert into import_problems (import_id, code, rows) values (:id, :code, :rows)
  on conflict do update set rows = rows + excluded.rows;

-- name: count_imports
-- Out: how many imports are in each state; those without any are left out.
select state, count(*) as imports from imports group by state;

-- name: set_options
-- In: id, value (JSON).
update imports set options = :value where id = :id;

-- name: move
-- In: id, state, reason, code and remedy (null: none), under_way (1: a process stays at work on it), started and finished (ms, null).
-- A move is progress: what a process died of before is behind it. Waiting because of that, and its end, are none.
update imports set state = :state, reason = :reason, code = :code, remedy = :remedy,
       attended = attended and :under_way,
       deaths = iif('PROCESS_DIED' in (code, :code), deaths, 0), started_at = coalesce(started_at, :started), finished_at = :finished
 where id = :id;

-- name: attend
-- A process is at work on it from now on.
update imports set attended = 1 where id = :id;

-- name: progressed
-- In: id. Earlier deaths of a process no longer count.
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
select * from import_records where finishedAt is null order by createdAt, id;

-- name: finished_before
-- In: before (ms). Out: ids of imports that were over by then, oldest first.
select id from imports where finished_at < :before order by finished_at, id;

-- name: forget_origin
-- Retries of an import that is removed stay, and say no more what they are a retry of.
update imports set retry_of = null where retry_of = :id;

-- name: remove
-- With its transitions.
delete from imports where id = :id;
