-- By what people find an import in a long list: who made it, its tags, and what went wrong in it.

alter table imports add column created_by text not null default '';  -- '' where nobody asked for it
alter table imports add column tags text not null default '[]';      -- JSON: words that people gave it

-- Rows that needed a person when an import was over, by code. While it runs, its ledger knows.
create table import_problems (
  import_id text not null references imports (id) on delete cascade,
  code      text not null,               -- of the row's problem; '' where there is none
  rows      integer not null,
  primary key (import_id, code)
) strict, without rowid;
