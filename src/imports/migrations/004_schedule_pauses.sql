-- When schedules were paused: a night without a run was missed, or the schedule was paused.
create table schedule_pauses (
  schedule text not null references schedules (name) on delete cascade,
  since    integer not null,             -- ms since 1970
  until    integer,                      -- null: it is still paused
  primary key (schedule, since)
) strict, without rowid;

-- Schedules that are paused already: since when was not written down, so since their last run.
insert into schedule_pauses (schedule, since)
  select name, coalesce((select max(at) from schedule_runs r where r.schedule = s.name), created_at)
    from schedules s where paused = 1;
