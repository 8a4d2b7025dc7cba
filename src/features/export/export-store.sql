-- Statements of an export's file. Groups come in the order of region and GUID.

-- name: begin
-- In: options (JSON), at (ms). Once, in a new file.
insert into export (id, options, state, reason, created_at) values (1, :options, 'running', '', :at);

-- name: export
-- Out: the export, one row.
select options, state, reason, calls, created_at, finished_at from export;

-- name: move
-- In: state, reason, at (ms; null while it runs).
update export set state = :state, reason = :reason, finished_at = :at;

-- name: count_calls
-- In: calls made since.
update export set calls = calls + :calls;

-- name: list_done
-- In: region, list. The list was read completely.
insert or ignore into lists (region, list) values (:region, :list);

-- name: is_list_done
-- In: region, list. Out: a row if it was read completely.
select 1 as done from lists where region = :region and list = :list;

-- name: add_group
-- In: region, GUID, facts (JSON). A group is known with its fields.
insert into groups (region, guid, facts) values (:region, :guid, :facts)
on conflict (region, guid) do update set guid = excluded.guid, facts = excluded.facts;

-- name: name_group
-- In: region, GUID. Adds a group that must be read; nothing is known about it.
insert or ignore into groups (region, guid) values (:region, :guid);

-- name: has_group
-- In: region, GUID. Out: a row if the group is known.
select 1 as found from groups where region = :region and guid = :guid;

-- name: forget_groups
-- In: region. Its list is read again.
delete from groups where region = :region;

-- name: count_to_read
-- Out: how many groups are not read yet.
select count(*) as n from groups where state = 'pending';

-- name: groups_to_read
-- In: region, after (id), limit. Out: the next groups that are not read yet, `known` being 1 where their fields are.
-- (`+` keeps SQLite from an index in which they are not in this order.)
select id, guid, facts is not null as known from groups
 where state = 'pending' and +region = :region and id > :after order by id limit :limit;

-- name: close_group
-- In: group, state, code and message (empty where it was read).
update groups set state = :state, code = :code, message = :message where id = :group;

-- name: has_member
-- In: group, UID. Out: whether the user is banned; no row for an unknown user.
select banned from members where group_id = :group and uid = :uid;

-- name: put_member
-- In: group, UID, scope, joined_at, name. A later entry for the same member replaces the earlier one.
insert into members (group_id, uid, scope, joined_at, name) values (:group, :uid, :scope, :joined_at, :name)
on conflict (group_id, uid) do update set scope = excluded.scope, joined_at = excluded.joined_at, name = excluded.name;

-- name: forget_members
-- In: group. Its list is read again, or cannot be read.
delete from members where group_id = :group;

-- name: put_banned
-- In: group, UID. A user from the list of banned users, a member or not.
insert into members (group_id, uid, scope, name, banned) values (:group, :uid, '', '', 1)
on conflict (group_id, uid) do update set banned = 1;

-- name: forget_banned_only
-- In: group. Before its list of the banned is read again.
delete from members where group_id = :group and banned = 1 and scope = '';

-- name: forget_bans
-- In: group. The same, for entries that are also members.
update members set banned = 0 where group_id = :group and banned = 1;

-- name: has_user
-- In: region, UID. Out: a row if the user is known.
select 1 as found from users where region = :region and uid = :uid;

-- name: put_user
-- In: region, UID, facts (JSON). A later entry for the same user replaces the earlier one.
insert into users (region, uid, facts) values (:region, :uid, :facts)
on conflict (region, uid) do update set facts = excluded.facts;

-- name: forget_users
-- In: region. Its list is read again.
delete from users where region = :region;

-- name: count_groups
-- Out: groups by state.
select state, count(*) as n from groups group by state;

-- name: missing_everywhere
-- A group that was asked for in several regions is missing only where none of them has it.
select guid, min(code) as code, min(message) as message from groups
group by guid having sum(state <> 'not_found') = 0 order by guid;

-- name: failed
-- Out: groups that could not be read, and why.
select region, guid, code, message from groups where state = 'failed' order by region, guid;

-- name: count_members
-- Out: entries of the groups that were read, the banned among them, and those with an unknown scope.
select count(*) as members, coalesce(sum(banned), 0) as banned,
  coalesce(sum(banned = 0 and scope not in ('admin', 'moderator', 'participant')), 0) as odd
from members join groups on groups.id = group_id where groups.state = 'read';

-- name: count_users
-- Out: how many users there are.
select count(*) as n from users;

-- name: members
-- Out: every entry of the groups that were read, by region, GUID and UID.
select groups.region, groups.guid, members.uid, case banned when 1 then 'ban' else scope end as scope,
  members.name, joined_at, groups.facts
from groups join members on group_id = groups.id
where groups.state = 'read'
order by groups.region, groups.guid, members.uid;

-- name: groups
-- Out: groups whose fields are known, by region and GUID.
select region, guid, facts from groups where facts is not null and state <> 'not_found' order by region, guid;

-- name: users
-- Out: users by region and UID.
select region, uid, facts from users order by region, uid;
