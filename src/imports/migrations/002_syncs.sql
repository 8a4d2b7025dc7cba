-- Syncs: what was planned, who let it through, and the import that carried it out. The plan itself is a file of its own.

create table syncs (
  id          text primary key,
  state       text not null,             -- membership/sync-state.ts
  reason      text not null,             -- why it is in this state, in a sentence
  file        text not null,             -- the input as the user named it; of an undo: of the import
  source      text not null,             -- the path that it is read from; of an undo: empty
  options     text not null,             -- JSON: how it is read and decided
  totals      text,                      -- JSON: the plan in numbers; null until it is made
  undo_of     text,                      -- the import that it takes back
  import_id   text,                      -- the import that carries it out; null until there is to be one
  schedule_id text,
  approved_by text,                      -- who let it through although a guard objects
  approved_at integer,
  approval    text,                      -- and why
  created_at  integer not null,
  finished_at integer
) strict;

create index syncs_by_time on syncs (created_at, id);

-- Every move of every sync, with its reason, and who wanted it (empty: nobody but the sync itself).
create table sync_transitions (
  sync_id text not null references syncs (id) on delete cascade,
  at      integer not null,
  state   text not null,
  reason  text not null,
  who     text not null
) strict;

create index sync_transitions_by_sync on sync_transitions (sync_id, at);
