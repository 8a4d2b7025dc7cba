-- The words of docs/glossary.md, in the statements too; and words for what 0, 1 and 2 meant.

-- Rows with the same group, acting user and action may travel in one call: they are a call group.
alter table lanes rename to call_groups;
alter table rows rename column lane_id to call_group_id;
alter table batches rename column lane_id to call_group_id;
drop index lanes_by_group;
create index call_groups_by_group on call_groups (group_id);
drop index batches_by_lane;
create index batches_by_call_group on batches (call_group_id);

-- Why an earlier call for these rows may have been carried out; null where none can have been.
alter table batches rename column doubt to uncertainty;

alter table batches add column users text not null default 'assumed' check (users in (
  'assumed',                             -- to exist
  'unknown',                             -- to the service, and may be created
  'settled'                              -- created, or found, or not created
));
update batches set users = iif(asked_for = 1, 'unknown', 'settled') where asked_for <> 0;
alter table batches drop column asked_for;

alter table groups add column banned_users text not null default 'not_asked' check (banned_users in (
  'not_asked',
  'known',
  'not_listed'                           -- the service does not say who is banned
));
update groups set banned_users = iif(bans = 1, 'known', 'not_listed') where bans <> 0;
alter table groups drop column bans;
