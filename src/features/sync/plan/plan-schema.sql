-- One plan: who is in the groups concerned, what is to be done about each of them, and what the guards say.
-- Scopes are the numbers of the ledger (admin 1, moderator 2, participant 3, ban 4); 0 stands for nobody.

-- The file that the plan was made from, and how: one row.
create table plan (
  id         integer primary key check (id = 1),
  file       text not null,              -- the input as the user named it
  hash       text not null,              -- of its bytes
  size       integer not null,           -- bytes
  rows       integer not null,
  invalid    integer not null,           -- of these rows
  fields     text not null,              -- JSON array: fields that a column was recognised for
  flags      text,                       -- JSON; null until the plan is made
  planned_at integer,                    -- ms since 1970
  creating   text,                       -- JSON: what may be created and how much, and what is known to be missing; null: nothing may be
  notes      text not null default '[]'  -- JSON array of {code, text}: what a person should know about the file
) strict;

create table groups (
  id      integer primary key,           -- as in the staged file
  region  text not null,
  guid    text not null collate nocase,  -- as the file writes it first
  wanted  integer not null,              -- rows of the file that count for it
  listing text not null default 'pending' check (listing in ('pending', 'listed', 'not_found', 'failed')),
  code    text not null default '',      -- why it could not be listed
  message text not null default '',
  members integer not null default 0,    -- listed ones, the banned not counted
  owner   text collate nocase,           -- empty: nobody; null: not known
  bans_known integer not null default 0, -- 1: the list of the banned was asked for
  creates text,                          -- JSON of a group that is not there and would be created: name, type and owner; null: any other
  unique (region, guid)
) strict;

create table live (
  group_id  integer not null references groups (id),
  uid       text not null collate nocase,
  scope_id  integer not null check (scope_id between 1 and 3),
  banned    integer not null check (banned in (0, 1)),
  joined_at integer,                     -- as the service says it
  state     integer generated always as (case banned when 1 then 4 else scope_id end) virtual,
  primary key (group_id, uid)
) strict, without rowid;

-- UIDs of the flags --protect and --remove-by-name.
create table protected (uid text primary key collate nocase) strict, without rowid;
create table named (uid text primary key collate nocase) strict, without rowid;

-- Every reason with the action that it leads to (reasons.ts).
create table reasons (name text primary key, action text not null) strict, without rowid;

create table actions (
  group_id integer not null references groups (id),
  uid      text not null collate nocase, -- as the service writes it, where it knows it
  action   text not null,
  from_id  integer not null,
  to_id    integer not null,             -- of a report: what is not done
  reason   text not null references reasons (name),
  line     integer,                      -- of the file, where a row asks for it
  row_id   integer,                      -- of the staged file, where a row asks for it
  primary key (group_id, uid)
) strict, without rowid;

-- Users who would be added and are in none of the groups that were listed: they may not exist.
create table newcomers (
  region text not null,
  uid    text not null collate nocase,
  primary key (region, uid)
) strict, without rowid;

create table findings (
  id       integer primary key,
  guard    text not null,
  region   text,
  guid     text,
  value    real not null,
  allowed  real not null,
  sentence text not null
) strict;
