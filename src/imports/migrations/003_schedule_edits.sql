-- Schedules are edited: each has a version, and a history of what was changed.

-- Counts up with every edit, so that nobody overwrites what they have not seen.
alter table schedules add column version integer not null default 1;

-- 1: made over the API, so that it reads only what the setting ROLLCALL_SOURCES allows at the moment of the run.
alter table schedules add column restricted integer not null default 0;

create table schedule_edits (
  schedule text not null references schedules (name) on delete cascade,
  version  integer not null,             -- that it had afterwards
  at       integer not null,             -- ms since 1970
  who      text not null,
  changes  text not null,                -- JSON array: field, from, to, as people read them; no secret
  primary key (schedule, version)
) strict, without rowid;
