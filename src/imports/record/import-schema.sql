-- One import: its rows, the batches that they travel in, the calls that were made, and what came of every row.
-- Numbers stand for words because there may be ten million rows; enum-ids.ts gives the same numbers, and a test compares them.
-- None of these tables has an index of names: each index takes a page of every small import.

create table outcomes (id integer primary key, name text not null) strict;
insert into outcomes values
  (1, 'added'), (2, 'banned'), (3, 'already_member'), (4, 'failed'),
  (5, 'invalid'), (6, 'duplicate'), (7, 'unconfirmed'), (8, 'unprocessed'),
  (9, 'changed'), (10, 'removed'), (11, 'unbanned'), (12, 'skipped');

create table scopes (id integer primary key, name text not null) strict;  -- highest first
insert into scopes values (1, 'admin'), (2, 'moderator'), (3, 'participant'), (4, 'ban');

-- The actions that a row may ask for. A change or a removal is a batch of its own, in a call group of its own.
create table actions (id integer primary key, name text not null) strict;
insert into actions values (1, 'add'), (2, 'change'), (3, 'remove'), (4, 'unban');

create table regions (
  id           integer primary key,
  name         text not null,
  -- Set while the service refuses the region's key or plan: nothing is sent there until a person has fixed it.
  stopped_code    text,
  stopped_message text,
  stopped_at      integer
) strict;
insert into regions (id, name) values (1, 'us'), (2, 'eu'), (3, 'in');

-- The input: one row.
create table input (
  id          integer primary key check (id = 1),
  format      text not null,             -- how the rows are kept: csv, json, ndjson
  kind        text not null,             -- what the file is: csv, json, ndjson, xlsx, ods, yaml, ldif
  delimiter   text not null,             -- of a CSV file, else empty
  columns     text not null,             -- JSON array, in the order of the input
  recognised  text not null,             -- JSON object: field -> column
  notes       text not null,             -- JSON array of {code, text}: what a person should know about it
  shaped      integer not null default 0, -- 1: a row of it may be several rows here, and retry files have our columns
  rows_read   integer,                   -- rows of the input, as the reader counted them
  file        text,                      -- the file that this ledger was last sent from, as the system knows it; null: it was not
  ends        integer not null default 0, -- 1: memberships of it end
  entries     integer                    -- what it made of them: memberships, and rows without any
) strict;

create table groups (
  id              integer primary key,
  region_id       integer not null,
  guid            text not null,         -- as it was written first; '': every group, for the call group of a silent import
  refused_code    text,                  -- set when the service refused the whole group: the rest of it is not sent
  refused_message text,
  banned_users    text not null default 'not_asked' check (banned_users in (
    'not_asked',
    'known',
    'not_listed'                         -- the service does not say who is banned
  ))
) strict;

-- Rows with the same group, acting user and action may travel in one call: they are a call group. In a silent import all rows
-- of a region are one.
create table call_groups (
  id           integer primary key,
  group_id     integer not null references groups (id),
  on_behalf_of text not null,
  action_id    integer not null references actions (id),
  later        integer not null default 0 -- 1: not among the rows to try first; waits until somebody resumes
) strict;

create index call_groups_by_group on call_groups (group_id);

-- The input, row by row; a row that gives several memberships stands here once for each. Never changed after staging.
create table rows (
  id        integer primary key,         -- order of the input
  line      integer not null,            -- as a spreadsheet counts
  region_id integer,                     -- null: the row does not tell
  group_id  integer,                     -- null: the row is invalid
  call_group_id integer,                 -- null: the row is not sent (invalid or duplicate)
  scope_id  integer,                     -- null: the row is invalid or asks for a removal
  uid_hash  integer,                     -- of the UID in lower case; a quick first comparison, never the last
  uid       text,
  original  text not null,               -- JSON: the input as it was; empty where the first membership of the row has it
  joined_at integer,                     -- seconds since 1970; null: the row does not say it
  until     integer                      -- its end, in ms since 1970; null: it has none. Of duplicates the latest
) strict;

-- Memberships of rows that give several.
create table parts (
  row_id    integer primary key,
  first_row integer not null,            -- the first membership of the same row
  part      integer not null,            -- 1, 2, 3, …
  value     text not null                -- which value of the row it is: `course2=math`
) strict;
create index parts_by_first on parts (first_row, part);

-- Rows that are left out by a condition, or have no membership in them.
create table skipped (
  row_id  integer primary key,
  code    text not null,
  message text not null
) strict;

-- The words of an invalid row as far as they could be read, so that it is found by GUID and UID. `rows` has its UID.
create table invalid_rows (
  row_id integer primary key,
  guid   text not null,                  -- as it was read, at most 200 characters; '' where there was none
  scope  text not null
) strict;

create table problems (
  row_id      integer not null,
  position    integer not null,
  column_name text not null,
  value       text not null,
  code        text not null,
  reason      text not null,
  primary key (row_id, position)
) strict, without rowid;

create table duplicates (
  row_id integer primary key,
  of_row integer not null                -- the row that is sent instead
) strict;

create table batches (
  id          integer primary key,
  call_group_id integer not null,
  region_id   integer not null,
  turn        integer not null,          -- its place in its call group: first batches of all groups go first
  state       text not null default 'pending' check (state in (
    'pending',
    'dispatched',
    'done',
    'replaced',                          -- by other batches
    'waiting',                           -- for its group or users
    'later'                              -- other rows are tried first
  )),
  size        integer not null,          -- UIDs
  bans        integer not null,          -- UIDs among them that are to be banned
  parent      integer,                   -- the batch that it was cut from
  standing    text,                      -- JSON: what it has been through, where it is sent again
  users       text not null default 'assumed' check (users in (
    'assumed',                           -- to exist
    'unknown',                           -- to the service, and may be created
    'settled'                            -- created, or found, or not created
  )),
  uncertainty text,                      -- why an earlier call for these rows may have been carried out; null: none can have been
  calls       integer not null default 0, -- so far, those of its parents included
  dispatched_at integer,                 -- when it was last put into the queue
  http_status integer,                   -- of the last call
  finished_at integer,
  members     integer,                   -- of the group after the batch was added; null: the reply does not say
  -- JSON array of [row, id of its message in the conversation]; null: none are named. A text in each row takes longer to write.
  messages    text
) strict;

create index batches_pending on batches (region_id, turn, id) where state = 'pending';
create index batches_dispatched on batches (id) where state = 'dispatched';
create index batches_by_call_group on batches (call_group_id, state);
create index batches_waiting on batches (id) where state = 'waiting';

-- Groups and users that the service may not know, in an import that may create them.
create table creations (
  id        integer primary key,
  kind      text not null,               -- user, group
  region_id integer not null,
  name      text not null,               -- UID or GUID in lower case
  group_id  integer,                     -- of a group
  row_id    integer,                     -- of a user: the first row that needs it
  step      text not null,               -- look, create, reactivate, done
  missing   integer not null default 0,  -- 1: the service did not know it; these are counted against --max-create
  alone     integer not null default 0,  -- 1: a group that is created without members
  batch_id  integer,                     -- the last batch that looked, created or reactivated
  body      text,                        -- JSON: what is sent
  outcome   text,                        -- existing, created, reactivated, refused, unconfirmed; null until it is done
  code      text,
  message   text,
  at        integer,
  unique (kind, region_id, name)
) strict;
create index creations_by_batch on creations (batch_id) where batch_id is not null;

-- A row's place in a batch, and what came of it. Clustered by batch, so that recording one touches one page.
create table memberships (
  batch_id   integer not null,
  row_id     integer not null,
  scope_id   integer not null,           -- of a removal the lowest one, which means nothing
  outcome_id integer,
  code       text,
  message    text,
  primary key (batch_id, row_id)
) strict, without rowid;

create table calls (
  id          integer primary key,
  batch_id    integer not null,
  region_id   integer not null,
  at          integer not null,
  ms          integer not null,
  http_status integer,
  code        text not null,             -- empty when the call was answered
  kind        text not null,             -- answered, or the kind of refusal (chat/error-policy.ts)
  request_id  text,                      -- as the service named the request, whose support asks for it; null: it did not
  message     text                       -- of a refusal; null: the call was answered
) strict;

-- Running totals by region, so that progress costs nothing: outcome names, and read, calls, retries, rateLimited.
-- region_id 0: rows whose region cannot be told.
create table counters (
  region_id integer not null,
  name      text not null,
  n         integer not null,
  primary key (region_id, name)
) strict, without rowid;
