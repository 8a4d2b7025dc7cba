-- What is still to be told to whoever asked to be told (`serve --notify`). A move of an import or a sync and the note
-- of it are written in one transaction, by the triggers below: no crash comes between.

-- Holds a row while the server that had this data directory last was to tell somebody.
create table notifying (since integer not null) strict;

create table deliveries (
  id        text primary key,            -- the same in every repetition, for the receiver to know them by
  kind      text not null,               -- import or sync
  subject   text not null,               -- its id; it may be removed by now
  state     text not null,
  reason    text not null,
  at        integer not null,            -- when it came into this state
  body      text                         -- the note as it is sent; null until it is made, the same from then on
) strict;

create trigger note_import after insert on transitions
when new.state in ('completed', 'aborted', 'cancelled', 'rejected', 'blocked') and exists (select 1 from notifying)
begin
  insert into deliveries (id, kind, subject, state, reason, at)
    values (lower(hex(randomblob(16))), 'import', new.import_id, new.state, new.reason, new.at);
end;

create trigger note_sync after insert on sync_transitions
when new.state in ('held', 'applied', 'incomplete', 'stale', 'failed') and exists (select 1 from notifying)
begin
  insert into deliveries (id, kind, subject, state, reason, at)
    values (lower(hex(randomblob(16))), 'sync', new.sync_id, new.state, new.reason, new.at);
end;
