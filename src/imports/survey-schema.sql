-- One survey of the service, as src/imports/survey reads it. The schemas of a check, an export and a plan add to these tables.

-- The run, one row.
create table run (
  id          integer primary key check (id = 1),
  state       text not null,             -- running, priced, stopped, or an end of its own
  reason      text not null,             -- why it waits or stopped, in a sentence
  calls       integer not null default 0,
  price       text,                      -- JSON: calls that are still to be made, at most; null: not known
  notes       text not null default '[]', -- JSON array of sentences: what could not be found out
  options     text,                      -- JSON
  created_at  integer not null,          -- ms since 1970
  finished_at integer
) strict;

create table groups (
  id      integer primary key,
  region  text not null,
  guid    text not null collate nocase,
  asked   integer,                       -- how many users are asked about in it (table asked); null: all members
  state   text not null default 'pending' check (state in ('pending', 'found', 'missing', 'failed')),
  code    text not null default '',      -- why it could not be read
  message text not null default '',
  facts   text,                          -- JSON (chat/replies.ts); null: not asked for
  name    text generated always as (facts ->> 'name') stored,
  type    text generated always as (facts ->> 'type') stored,
  owner   text collate nocase generated always as (facts ->> 'owner') stored,
  size    integer generated always as (facts ->> 'membersCount') stored, -- members as the service counts them; null: not told
  way     text,                          -- how members are found out: list or ask; null: list
  members_known integer not null default 0,
  bans_known    integer not null default 0,
  unique (region, guid)
) strict;

-- Members and banned users. Of a group in which only some users are asked about, only these stay.
create table members (
  group_id  integer not null references groups (id),
  uid       text not null collate nocase,
  scope     text,                        -- as the service says it; empty for one who is only in the list of the banned; null: asked about, and not in the group
  joined_at integer,                     -- seconds since 1970
  name      text not null default '',
  banned    integer not null default 0,
  -- 0 not in the group, 1 admin, 2 moderator, 3 participant, 4 banned, 9 a scope that nobody knows
  place     integer generated always as (case when banned then 4 when scope is null then 0 else
    case lower(scope) when 'admin' then 1 when 'moderator' then 2 when 'participant' then 3 else 9 end end) virtual,
  primary key (group_id, uid)
) strict, without rowid;

create table users (
  id     integer primary key,
  region text not null,
  uid    text not null collate nocase,
  state  text check (state in ('exists', 'unknown', 'deactivated')), -- null: not known
  facts  text,                           -- JSON (chat/replies.ts); null: not kept
  unique (region, uid)
) strict;

create index users_open on users (region, id) where state is null;

-- Users who are asked about in a group.
create table asked (
  group_id integer not null references groups (id),
  user_id  integer not null references users (id),
  primary key (group_id, user_id)
) strict, without rowid;

-- Entries of a region's lists of groups, users and deactivated users, while they are read.
create table listed (
  list   text not null,
  region text not null,
  id     text not null collate nocase,
  state  text,                           -- of a user
  facts  text,                           -- JSON; null: not kept
  primary key (list, region, id)
) strict, without rowid;

-- Lists of a region that were read as a whole.
create table lists (region text not null, list text not null, primary key (region, list)) strict, without rowid;
