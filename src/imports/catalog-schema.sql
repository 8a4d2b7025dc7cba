-- The catalog: imports, syncs and schedules with their states, and what receivers are still to be notified of.

-- The name of this data directory to workers elsewhere: part of the name of the queue that brings its results.
create table coordinator (
  id   text primary key,
  file text,                             -- the catalog in which it was last worked with, as the system knows it: a copy is another
  root text not null default ''          -- the data directory at that time
) strict;
insert into coordinator (id) values (lower(hex(randomblob(6))));

create table imports (
  id          text primary key,
  state       text not null,             -- membership/import-state.ts
  reason      text not null,             -- why it is in this state, in a sentence
  code        text,                      -- the same for programs (reason-codes.ts); null where the state says all
  remedy      text,                      -- JSON: what to do about it (errors/named-options.ts); null where the state says it
  file        text not null,             -- the input as the user named it
  source      text not null,             -- the path that staging reads
  options     text not null,             -- JSON: how to read it and how to run it
  retry_of    text references imports (id),
  created_at  integer not null,          -- ms since 1970, like every time in the ledger
  started_at  integer,                   -- when the first batch went out
  finished_at integer,                   -- when it reached a final state
  -- 1 while a process is at work on it: still 1 at the next start, that process died in the middle of it.
  attended    integer not null default 0,
  deaths      integer not null default 0, -- so many times since it last made progress
  created_by  text not null default '',  -- '': it was made without a person
  tags        text not null default '[]', -- JSON: words that people gave it
  -- JSON (`ImportTotals`), so that a list of imports opens none of their ledgers; null until it has ended and was counted.
  totals      text
) strict;

create index imports_by_time on imports (created_at, id);
create index imports_by_parent on imports (retry_of) where retry_of is not null;

-- Every move of every import, with its reason: the answer to "who stopped this, and when?"
create table transitions (
  import_id text not null references imports (id) on delete cascade,
  at        integer not null,
  state     text not null,
  reason    text not null
) strict;

create index transitions_by_import on transitions (import_id, at);

-- Rows that needed a person when an import was over, by code. While it runs, its ledger knows.
create table import_problems (
  import_id text not null references imports (id) on delete cascade,
  code      text not null,               -- of the row's problem; '' where there is none
  rows      integer not null,
  primary key (import_id, code)
) strict, without rowid;

-- Imports of which more rows needed a person than their retries have sent, but for those that were left out and then
-- corrected, which needed none. A retry that is under way may send all of them.
create view open_problems as
select p.id, p.rows
  from (select import_id as id, sum(rows) as rows from import_problems group by import_id) p
 where p.rows > coalesce((select sum(iif(r.finished_at is null, p.rows,
                                     json_extract(r.totals, '$.rows.read') - coalesce(r.options ->> 'leftOut', 0)))
                            from imports r where r.retry_of = p.id), 0);

-- Imports whose rows that need attention a person has seen and leaves as they are.
create table dismissed (
  import_id text primary key references imports (id) on delete cascade,
  rows      integer not null             -- that needed attention then: with more, it needs attention again
) strict, without rowid;

-- Imports as statements give them: one home for the names of their columns.
create view import_records as
select id, state, reason, code, remedy, file, source, options, retry_of as retryOf, created_by as createdBy, tags, totals,
       created_at as createdAt, started_at as startedAt, finished_at as finishedAt
  from imports;

-- Syncs: what was planned, who let it through, and the import that carried it out. The plan itself is a file of its own.

create table syncs (
  id          text primary key,
  sync        text not null,             -- JSON (features/sync/kept-sync.ts)
  state       text as (sync ->> 'state'),
  source      text as (sync ->> 'source'),
  undo_of     text as (sync ->> 'undoOf'),
  schedule    text as (sync ->> 'schedule'),
  created_at  integer as (cast(round(unixepoch(sync ->> 'createdAt', 'subsec') * 1000) as integer)),
  finished_at integer as (cast(round(unixepoch(sync ->> 'finishedAt', 'subsec') * 1000) as integer))
) strict;

create index syncs_by_time on syncs (created_at, id);
create index syncs_by_import on syncs (undo_of) where undo_of is not null;

-- Schedules: syncs that begin by themselves. What the queue knows of them is put there from here.

create table schedules (
  name     text primary key,
  schedule text not null                 -- JSON (features/schedule/schedule-catalog.ts)
) strict;

-- Runs of schedules, and those that there should have been.
create table schedule_runs (
  id       integer primary key,
  schedule text not null references schedules (name) on delete cascade,
  run      text not null,                -- JSON (features/schedule/operations.ts), without its id, its schedule and its sync
  state    text as (run ->> 'state'),
  sync_id  text as (run ->> 'syncId')
) strict;

create index schedule_runs_by_schedule on schedule_runs (schedule, id);
create index schedule_runs_by_state on schedule_runs (state);
create index schedule_runs_by_sync on schedule_runs (sync_id);

-- Whole, with the sync that a run began; null where it is not written down yet, or was removed.
create view schedule_run_records as
select r.id, r.schedule, r.state, r.sync_id, r.run ->> 'dueAt' as due_at,
       json_set(r.run, '$.id', r.id, '$.schedule', r.schedule, '$.sync',
                iif(y.id is null, null, json_object('id', y.id, 'state', y.state, 'totals', json(y.sync -> 'totals')))) as run
  from schedule_runs r left join syncs y on y.id = r.sync_id;

-- Notifications that are still to be delivered (`serve --notify`). A move of an import or a sync and the note of it are
-- written in one transaction, by the triggers below: no crash comes between.

-- Holds a row while the server that had this data directory last was started with a receiver to notify.
create table notifying (since integer not null) strict;

create table deliveries (
  id        text primary key,            -- the same in every repetition, for the receiver to know them by
  kind      text not null,               -- import or sync
  subject   text not null,               -- its id; it may be removed by now
  state     text not null,
  reason    text not null,
  at        integer not null,            -- when it came into this state
  body      text                         -- the note as it is sent; null until it is made, the same from then on
) strict;

create trigger note_import after insert on transitions
when new.state in ('completed', 'aborted', 'cancelled', 'rejected', 'blocked', 'failed') and exists (select 1 from notifying)
begin
  insert into deliveries (id, kind, subject, state, reason, at)
    values (lower(hex(randomblob(16))), 'import', new.import_id, new.state, new.reason, new.at);
end;

create trigger note_sync after update on syncs
when new.state <> old.state and new.state in ('held', 'applied', 'incomplete', 'stale', 'failed')
  and exists (select 1 from notifying) and new.sync ->> 'isTry' is null
begin
  insert into deliveries (id, kind, subject, state, reason, at)
    values (lower(hex(randomblob(16))), 'sync', new.id, new.state, new.sync ->> 'reason',
            cast(round(unixepoch(new.sync ->> '$.moves[#-1].at', 'subsec') * 1000) as integer));
end;
