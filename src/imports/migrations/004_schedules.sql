-- Schedules: syncs that begin by themselves. What the queue knows of them is put there from here.

create table schedules (
  name            text primary key,
  cron            text not null,
  tz              text not null,
  file            text not null,         -- path, glob or https URL, as the user named it
  source          text not null,         -- the same, as it is read: paths are whole
  headers         text not null,         -- JSON: header of the request -> environment variable that has its value
  max_source      integer not null,      -- bytes
  protect_file    text,                  -- read anew for every run; null: none
  options         text not null,         -- JSON: how it is read and decided (sync/sync-options.ts)
  repair          integer not null,      -- 1: runs although the source is unchanged
  catch_up        integer not null,      -- 1: a missed run is made up for
  paused          integer not null default 0,
  created_at      integer not null,
  next_due        integer not null,      -- ms since 1970; counts unless paused
  copy_hash       text,                  -- of an https source: the copy that is kept of it, and how the server calls that
  copy_etag       text,
  copy_modified   text,
  placed_hash     text                   -- of the source that the last run has put in place as a whole; null: it has not
) strict;

-- Runs of schedules, and those that there should have been.
create table schedule_runs (
  id       integer primary key,
  schedule text not null references schedules (name) on delete cascade,
  due_at   integer not null,
  at       integer not null,             -- when it began, or was noted
  state    text not null,                -- schedule-catalog.ts
  reason   text not null,                -- why it is in this state, in a sentence
  who      text not null,                -- who asked for it; empty: the schedule
  sync_id  text                          -- null until there is one
) strict;

create index schedule_runs_by_schedule on schedule_runs (schedule, id);

-- Rows that the last run could not put in place, and since when that is so.
create table schedule_failures (
  schedule text not null references schedules (name) on delete cascade,
  region   text not null,
  guid     text not null,
  uid      text not null collate nocase,
  code     text not null,
  since    integer not null,
  run      integer not null,             -- the last one in which it failed
  primary key (schedule, region, guid, uid)
) strict, without rowid;
