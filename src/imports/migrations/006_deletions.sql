-- Imports whose users and groups, which they created, are being deleted: a stop or crash leaves the row, and the next start
-- continues.
create table deletions (
  import_id text primary key references imports (id) on delete cascade
) strict, without rowid;
