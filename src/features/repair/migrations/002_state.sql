-- What was done about a row with edits; one without is open.
alter table repairs add column state text generated always as (
  case when import_id is not null then 'sent' when problems = '[]' then 'ready' else 'wrong' end) virtual;
