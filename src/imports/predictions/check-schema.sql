-- One check of a staged import: what the service says about its groups, users and memberships before anything is sent.
-- Scopes are the numbers of the ledger (admin 1, moderator 2, participant 3, ban 4).

create table run (
  id          integer primary key check (id = 1),
  state       text not null,             -- running, priced, done, stopped
  reason      text not null,             -- why it waits or stopped, in a sentence
  calls       integer not null default 0,
  price       text,                      -- JSON: calls that are still to be made, at most; null: not known
  notes       text not null default '[]', -- JSON array of sentences: what could not be found out
  options     text,                      -- JSON: the import's options that its verdicts depend on; null until they are made
  created_at  integer not null,          -- ms since 1970
  finished_at integer
) strict;

create table groups (
  id      integer primary key,           -- as in the import's ledger
  region  text not null,
  guid    text not null collate nocase,
  wanted  integer not null,              -- users of the file who are asked about in it
  state   text not null default 'pending' check (state in ('pending', 'found', 'missing', 'failed')),
  code    text not null default '',
  message text not null default '',
  name    text,
  type    text,
  owner   text,
  members integer,                       -- as the service counts them; null: not told
  way     text,                          -- how members are found out: list or ask; null: not chosen yet
  creation text,                         -- of a missing one: '' it is created, or the code why it cannot be; null: not asked for
  done    integer not null default 0,    -- 1: members and banned users are known as far as they can be
  unique (region, guid)
) strict;

create table users (
  id     integer primary key,
  region text not null,
  uid    text not null collate nocase,
  state  text check (state in ('exists', 'unknown', 'deactivated')), -- null: not known
  creation text,                         -- of one who is not found: as of a group; a deactivated one is tried like an unknown one
  first_row integer,                     -- of one who may be created: the row that says with what
  unique (region, uid)
) strict;

create index users_open on users (region, id) where state is null;

-- A user whom the file names in a group, as a row or as the acting user of rows.
create table places (
  group_id integer not null references groups (id),
  user_id  integer not null references users (id),
  place    integer,                      -- 0 not in the group, 1 to 3 scope, 4 banned, 9 a scope that nobody knows; null: not known
  primary key (group_id, user_id)
) strict, without rowid;

-- Entries of lists that are being read; group 0 is the list of users.
create table listed (
  list  text not null,                   -- members, banned, users, deactivated, groups
  owner integer not null,                -- group, or number of the region
  id    text not null collate nocase,
  fact  text,                            -- scope of a member; deactivated or null of a user; JSON of a group
  primary key (list, owner, id)
) strict, without rowid;

-- Rows that would be sent, with what is to be expected of each. Made at the end.
create table verdicts (
  row_id  integer primary key,           -- as in the import's ledger
  verdict text not null,                 -- check-verdict.ts
  code    text not null                  -- why it would fail, or cannot be told; else empty
) strict;

create index verdicts_by_kind on verdicts (verdict, code);
