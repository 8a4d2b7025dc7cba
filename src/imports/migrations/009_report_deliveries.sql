-- Reports that are to be written where the options of their import say, and those that were. An import's last move and this
-- are written in one transaction: no crash comes between.
create table report_deliveries (
  import_id  text primary key references imports (id) on delete cascade,
  since      integer not null,           -- when the import was over
  arrived_at integer,                    -- null while they wait
  error      text,                       -- of the last attempt, in a sentence; null where there was none
  told_at    integer                     -- when somebody was notified that it lasts
) strict, without rowid;

create trigger deliver_reports after insert on transitions
when new.state in ('completed', 'aborted', 'cancelled')
  and (select json_extract(options, '$.reportTo.place') from imports where id = new.import_id) is not null
begin
  insert into report_deliveries (import_id, since) values (new.import_id, new.at) on conflict do nothing;
end;

-- To those who are notified of imports: once that they wait, and then that they have arrived.

create trigger note_reports_wait after update of told_at on report_deliveries
when old.told_at is null and new.told_at is not null and exists (select 1 from notifying)
begin
  insert into deliveries (id, kind, subject, state, reason, at)
    values (lower(hex(randomblob(16))), 'import', new.import_id, 'reports_wait', new.error, new.told_at);
end;

create trigger note_reports_arrived after update of arrived_at on report_deliveries
when old.arrived_at is null and new.arrived_at is not null and new.told_at is not null and exists (select 1 from notifying)
begin
  insert into deliveries (id, kind, subject, state, reason, at)
    values (lower(hex(randomblob(16))), 'import', new.import_id, 'reports_arrived', 'the reports were delivered', new.arrived_at);
end;
