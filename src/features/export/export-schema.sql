-- One export: what the service said about groups, their members and users. What has been read stays when it is interrupted.

create table export (
  id          integer primary key check (id = 1),
  options     text not null,             -- JSON (export-options.ts)
  state       text not null,             -- running, completed, incomplete, stopped
  reason      text not null,             -- why, in a sentence; empty while it runs and when it is completed
  calls       integer not null default 0,
  created_at  integer not null,          -- ms since 1970
  finished_at integer
) strict;

-- Lists of a region that were read as a whole: `groups`, `users`.
create table lists (region text not null, list text not null, primary key (region, list)) strict, without rowid;

create table groups (
  id      integer primary key,
  region  text not null,
  guid    text not null collate nocase,  -- as the service writes it, once it has said so
  state   text not null default 'pending' check (state in ('pending', 'read', 'not_found', 'failed')),
  code    text not null default '',      -- why it could not be read
  message text not null default '',
  facts   text,                          -- JSON (chat/directory-operations.ts); null: not read yet
  unique (region, guid)
) strict;

create table members (
  group_id  integer not null references groups (id),
  uid       text not null collate nocase,
  scope     text not null,               -- as the service says it; empty for one who is only in the list of the banned
  joined_at integer,                     -- seconds since 1970
  name      text not null,
  banned    integer not null default 0,
  primary key (group_id, uid)
) strict, without rowid;

create table users (
  region text not null,
  uid    text not null collate nocase,
  facts  text not null,                  -- JSON (chat/directory-operations.ts)
  primary key (region, uid)
) strict, without rowid;
