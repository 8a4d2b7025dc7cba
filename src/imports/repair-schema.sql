-- Corrections by people in the rows of one import. The ledger, which has the rows as the file had them, never changes.

-- Every edit of a cell, in order; the last one of a cell counts.
create table edits (
  id          integer primary key,
  row_id      integer not null,          -- row of the ledger; where a row gives several memberships, the first of them
  column_name text not null,
  value       text,                      -- null: as the file had it
  by          text not null,
  at          integer not null,          -- ms since 1970
  action_id   integer                    -- the action that it belongs to
) strict;
create index edits_by_row on edits (row_id, id);
create index edits_by_action on edits (action_id) where action_id is not null;

-- A person's actions, for undoing them: an edit, a paste, a replacement.
create table actions (
  id     integer primary key,
  kind   text not null,
  by     text not null,
  at     integer not null,               -- ms since 1970
  undone integer not null default 0      -- 1: its edits were taken back
) strict;

-- Rows with edits, as they are now.
create table repairs (
  row_id    integer primary key,
  problems  text not null,               -- JSON array of {column, code, reason}: what is wrong with them still; [] is nothing
  import_id text,                        -- the import that they were sent in; null: not sent
  state     text generated always as (
    case when import_id is not null then 'sent' when problems = '[]' then 'ready' else 'wrong' end) virtual
) strict;
create index repairs_sent on repairs (import_id) where import_id is not null;

-- Imports of repaired rows.
create table sends (
  import_id text primary key,
  by        text not null,
  at        integer not null,
  created   integer not null default 0   -- 1: the catalog has the import, or had it
) strict;
