-- Imports whose rows that need attention a person has seen and leaves as they are.
create table dismissed (
  import_id text primary key references imports (id) on delete cascade,
  rows      integer not null             -- that needed attention then: with more, it needs attention again
) strict, without rowid;
