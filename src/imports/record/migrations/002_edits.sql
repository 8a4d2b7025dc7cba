-- Imports of edits: a row may ask for a member's scope to be changed, or for the member to be removed. Each of these is a
-- batch of its own, in a lane of its own; lanes that were there add.

insert into outcomes values (9, 'changed'), (10, 'removed');

create table actions (id integer primary key, name text not null unique) strict;
insert into actions values (1, 'add'), (2, 'change'), (3, 'remove');

alter table lanes add column action_id integer not null default 1;

-- Of a removal, `rows` has no scope, and `memberships` has the lowest in its place, which means nothing.
