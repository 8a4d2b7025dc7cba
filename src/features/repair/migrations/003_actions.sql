-- What a person did in one go, for undoing it: an edit, a paste, a replacement.
create table actions (
  id     integer primary key,
  kind   text not null,
  by     text not null,
  at     integer not null,               -- ms since 1970
  undone integer not null default 0      -- 1: its edits were taken back
) strict;
alter table edits add column action_id integer;  -- null: edited before actions were kept
create index edits_by_action on edits (action_id) where action_id is not null;
