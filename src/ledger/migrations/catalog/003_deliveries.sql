-- What is still to be told to whoever asked to be told (`serve --notify`). A move of an import and the note of it are
-- written in one transaction, by the trigger below: no crash comes between.

-- Holds a row while the server that had this data directory last was to tell somebody.
create table notifying (since integer not null) strict;

create table deliveries (
  id        text primary key,            -- the same in every repetition, for the receiver to know them by
  import_id text not null,               -- the import may be removed by now
  state     text not null,
  reason    text not null,
  at        integer not null,            -- when the import came into this state
  body      text                         -- the note as it is sent; null until it is made, the same from then on
) strict;

create trigger note_move after insert on transitions
when new.state in ('completed', 'aborted', 'cancelled', 'rejected', 'blocked') and exists (select 1 from notifying)
begin
  insert into deliveries (id, import_id, state, reason, at)
    values (lower(hex(randomblob(16))), new.import_id, new.state, new.reason, new.at);
end;
