-- Statements of an export's file. Groups come in the order of region and GUID.

-- name: begin
insert into export (id, options, state, reason, created_at) values (1, :options, 'running', '', :at);

-- name: export
select options, state, reason, calls, created_at, finished_at from export;

-- name: move
update export set state = :state, reason = :reason, finished_at = :at;

-- name: count_calls
update export set calls = calls + :calls;

-- name: list_done
insert or ignore into lists (region, list) values (:region, :list);

-- name: is_list_done
select 1 as done from lists where region = :region and list = :list;

-- name: add_group
insert into groups (region, guid, facts) values (:region, :guid, :facts)
on conflict (region, guid) do update set guid = excluded.guid, facts = excluded.facts;

-- name: name_group
insert or ignore into groups (region, guid) values (:region, :guid);

-- name: has_group
select 1 as found from groups where region = :region and guid = :guid;

-- name: forget_groups
delete from groups where region = :region;

-- name: groups_in_state
select id, region, guid, facts is not null as known from groups where state = :state order by region, guid;

-- name: close_group
update groups set state = :state, code = :code, message = :message where id = :group;

-- name: has_member
select banned from members where group_id = :group and uid = :uid;

-- name: put_member
insert into members (group_id, uid, scope, joined_at, name) values (:group, :uid, :scope, :joined_at, :name)
on conflict (group_id, uid) do update set scope = excluded.scope, joined_at = excluded.joined_at, name = excluded.name;

-- name: forget_members
delete from members where group_id = :group;

-- name: put_banned
insert into members (group_id, uid, scope, name, banned) values (:group, :uid, '', '', 1)
on conflict (group_id, uid) do update set banned = 1;

-- name: forget_banned_only
delete from members where group_id = :group and banned = 1 and scope = '';

-- name: forget_bans
update members set banned = 0 where group_id = :group and banned = 1;

-- name: has_user
select 1 as found from users where region = :region and uid = :uid;

-- name: put_user
insert into users (region, uid, facts) values (:region, :uid, :facts)
on conflict (region, uid) do update set facts = excluded.facts;

-- name: forget_users
delete from users where region = :region;

-- name: count_groups
select state, count(*) as n from groups group by state;

-- name: missing_everywhere
-- A group that was asked for in several regions is missing only where none of them has it.
select guid, min(code) as code, min(message) as message from groups
group by guid having sum(state <> 'not_found') = 0 order by guid;

-- name: failed
select region, guid, code, message from groups where state = 'failed' order by region, guid;

-- name: count_members
select count(*) as members, coalesce(sum(banned), 0) as banned,
  coalesce(sum(banned = 0 and scope not in ('admin', 'moderator', 'participant')), 0) as odd
from members join groups on groups.id = group_id where groups.state = 'read';

-- name: count_users
select count(*) as n from users;

-- name: members
select groups.region, groups.guid, members.uid, case banned when 1 then 'ban' else scope end as scope,
  members.name, joined_at, groups.facts
from groups join members on group_id = groups.id
where groups.state = 'read'
order by groups.region, groups.guid, members.uid;

-- name: groups
select region, guid, facts from groups where facts is not null and state <> 'not_found' order by region, guid;

-- name: users
select region, uid, facts from users order by region, uid;
