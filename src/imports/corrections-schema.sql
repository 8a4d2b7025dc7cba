-- Corrections by people in the rows of one import. The ledger, which has the rows as the file had them, never changes.

-- The last edit of each cell. Its number grows with every edit: the highest one tells whether anything was edited.
create table edits (
  id          integer primary key autoincrement,
  row_id      integer not null,          -- row of the ledger; where a row gives several memberships, the first of them
  column_name text not null,
  value       text,                      -- null: as the file had it
  by          text not null,
  unique (row_id, column_name)
) strict;

-- Rows with edits, as they are now.
create table corrected (
  row_id    integer primary key,
  problems  text not null,               -- JSON array of {column, code, reason}: what is wrong with them still; [] is nothing
  import_id text,                        -- the import that they were sent in; null: not sent
  state     text generated always as (
    case when import_id is not null then 'sent' when problems = '[]' then 'ready' else 'wrong' end) virtual
) strict;
create index corrected_sent on corrected (import_id) where import_id is not null;

-- Imports of corrected rows.
create table sends (
  import_id text primary key,
  created   integer not null default 0   -- 1: the catalog has the import, or had it
) strict;
