-- One plan: what is done about each member of the groups concerned, and what the guards say. Added to the tables of its survey
-- (imports/survey-schema.sql), in which groups have the numbers of the staged file and the members of each are listed; its users are
-- those who would be added and are in none of these groups: they may not exist.

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

alter table groups add column wanted integer not null default 0; -- rows of the file that count for it
alter table groups add column members integer not null default 0; -- listed ones, the banned not counted
alter table groups add column creates text; -- JSON of a group that is not there and would be created: name, type and owner; null: any other
alter table groups add column listing text generated always as (
  case when members_known then 'listed' when state = 'missing' then 'not_found' when state = 'failed' then 'failed' else 'pending' end) virtual;

-- Every reason with the action that it leads to (membership/plan-reasons.ts).
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

create table findings (
  id       integer primary key,
  guard    text not null,
  region   text,
  guid     text,
  value    real not null,
  "limit"  real not null,
  what     text not null,                -- its sentence
  remedy   text not null                 -- another one
) strict;
