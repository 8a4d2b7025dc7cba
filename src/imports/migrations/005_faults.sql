-- An import that met an unexpected error is set aside as `failed`, and the process goes on with the others.

alter table imports add column code text;                          -- of the error, while it is failed; else null
-- 1 while a process is at work on it: still 1 at the next start, that process died in the middle of it.
alter table imports add column attended integer not null default 0;
alter table imports add column deaths integer not null default 0;  -- so many times since it last made progress

drop trigger note_import;

create trigger note_import after insert on transitions
when new.state in ('completed', 'aborted', 'cancelled', 'rejected', 'blocked', 'failed') and exists (select 1 from notifying)
begin
  insert into deliveries (id, kind, subject, state, reason, at)
    values (lower(hex(randomblob(16))), 'import', new.import_id, new.state, new.reason, new.at);
end;
