-- Members whom syncs with a name made, by group: `memberships.sqlite` of the data directory.

create table groups (
  id     integer primary key,
  sync   text not null,                  -- its name
  app    text not null,                  -- the app that the group is in, or `sandbox`; empty where it was not known
  region text not null,
  guid   text not null collate nocase,
  unique (sync, region, guid, app)
) strict;

create table made (
  group_id integer not null references groups (id),
  uid      text not null collate nocase,
  place    integer not null,             -- the scope that the sync gave, as ledgers number scopes
  at       integer not null,             -- ms since 1970, when it was noted
  back     integer not null default 0,   -- 1: if the user has left, a person lets the next run add them again
  primary key (group_id, uid)
) strict, without rowid;

-- Runs and imports that are part of this already.
create table taken (sync text not null, id text not null, primary key (sync, id)) strict, without rowid;
