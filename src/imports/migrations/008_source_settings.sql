-- How the source of a schedule is read, beside its address and headers: JSON, without secrets.
alter table schedules add column source_settings text not null default '{}';
