-- The catalog: which imports there are and in which state each is. Everything else about an import is in its own file.

-- Who this data directory is to workers elsewhere: part of the name of the queue that brings its results.
create table coordinator (id text primary key) strict;
insert into coordinator values (lower(hex(randomblob(6))));

create table imports (
  id          text primary key,
  state       text not null,             -- membership/import-state.ts
  reason      text not null,             -- why it is in this state, in a sentence
  file        text not null,             -- the input as the user named it
  source      text not null,             -- the path that staging reads
  options     text not null,             -- JSON: how to read it and how to run it
  retry_of    text references imports (id),
  created_at  integer not null,          -- ms since 1970, like every time in the ledger
  started_at  integer,                   -- when the first batch went out
  finished_at integer                    -- when it reached a final state
) strict;

create index imports_by_time on imports (created_at, id);

-- Every move of every import, with its reason: the answer to "who stopped this, and when?"
create table transitions (
  import_id text not null references imports (id) on delete cascade,
  at        integer not null,
  state     text not null,
  reason    text not null
) strict;

create index transitions_by_import on transitions (import_id, at);
