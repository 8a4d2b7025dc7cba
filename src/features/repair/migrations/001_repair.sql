-- What people have corrected in the rows of one import. The ledger, which has the rows as the file had them, never changes.

-- Every edit of a cell, in order; the last one of a cell counts.
create table edits (
  id          integer primary key,
  row_id      integer not null,          -- row of the ledger; where a row gives several memberships, the first of them
  column_name text not null,
  value       text,                      -- null: as the file had it
  by          text not null,
  at          integer not null           -- ms since 1970
) strict;
create index edits_by_row on edits (row_id, id);

-- Rows with edits, as they are now.
create table repairs (
  row_id    integer primary key,
  problems  text not null,               -- JSON array of {column, code, reason}: what is wrong with them still; [] is nothing
  retryable integer not null,            -- its memberships that a retry of the import would send
  import_id text                         -- the import that they were sent in; null: not sent
) strict;
create index repairs_sent on repairs (import_id) where import_id is not null;

-- Imports of repaired rows.
create table sends (
  import_id text primary key,
  by        text not null,
  at        integer not null,
  created   integer not null default 0   -- 1: the catalog has the import, or had it
) strict;
