-- Statements on the survey of a check. `staged` is the import's ledger, attached and only read.

-- name: open_wanted
-- Rows that would be sent, with their groups and users. `adds`: whether the row adds a member; a ban adds none.
create temp view wanted as
select r.id, r.scope_id, r.joined_at, r.call_group_id, act.name as action, act.name = 'add' and s.name <> 'ban' as adds,
  r.group_id, g.region, g.guid, g.state as group_state, g.code as group_code, g.creation as group_creation, g.type, g.owner, g.absent,
  coalesce(g.size, 0) as size, g.facts ->> 'createdAt' as since, u.id as user_id, r.uid, u.state, u.creation, u.first_row
from staged.rows r join staged.call_groups cg on cg.id = r.call_group_id join staged.actions act on act.id = cg.action_id
join main.groups g on g.id = r.group_id join main.users u on u.region = g.region and u.uid = r.uid
left join staged.scopes s on s.id = r.scope_id;

-- name: open_checked
-- The same rows with their verdicts.
create temp view checked as select v.verdict, v.code, w.* from main.verdicts v join temp.wanted w on w.id = v.row_id;

-- name: open_growing
-- Groups that would get members, with their numbers before and after.
create temp view growing as
select group_id, guid, size as before, size + count(*) as after from temp.checked
where verdict in ('add', 'create', 'lifts_ban') group by group_id;

-- name: open_named
-- Users whom the rows that would be sent name, in their groups: those of the rows, and acting users.
create temp view named as
select g.id as group_id, g.region, r.uid from staged.rows r join main.groups g on g.id = r.group_id where r.call_group_id is not null
union all
select g.id, g.region, cg.on_behalf_of from staged.call_groups cg join main.groups g on g.id = cg.group_id where cg.on_behalf_of <> '';

-- name: fill_groups
-- Groups of the rows that would be sent.
insert into groups (id, region, guid)
select g.id, r.name, g.guid from staged.groups g join staged.regions r on r.id = g.region_id
where g.id in (select group_id from staged.rows where call_group_id is not null);

-- name: fill_users
-- Users of the rows that would be sent, and users on whose behalf.
insert or ignore into users (region, uid) select region, uid from named;

-- name: fill_places
-- The same, in the groups in which rows name them.
insert or ignore into asked (group_id, user_id)
select named.group_id, u.id from named join users u on u.region = named.region and u.uid = named.uid;

-- name: count_asked
-- After filling: how many users are asked about in each group.
update groups set asked = (select count(*) from asked where group_id = groups.id);

-- name: forget_verdicts
-- Before they are made.
delete from verdicts;

-- name: new_groups
-- Out: missing groups to which rows add users.
select distinct group_id as id, guid, region from wanted where adds and group_state = 'missing';

-- name: plan_group
-- In: group, creation, name, type, owner (null: none). Stores the values with which it would be created.
update groups set creation = :creation, facts = json_object('name', :name, 'type', :type, 'owner', :owner) where id = :group;

-- name: find_first_rows
-- For every user who is not found, the first row that needs the user. No user is created just to be banned.
update users set first_row = f.row_id from (
  select user_id, min(id) as row_id from wanted
  where adds and state in ('unknown', 'deactivated') and (group_state = 'found' or group_creation = '')
  group by user_id) f where user_id = users.id;

-- name: unknown_owners
-- Out: unknown and deactivated owners of groups that would be created, with the first of these.
select u.id, u.uid, min(g.id) as "group" from groups g join users u on u.region = g.region and u.uid = g.owner
where g.creation = '' and u.state in ('unknown', 'deactivated') group by u.id;

-- name: users_to_plan
-- In: after (number of a user), limit. Out: users who are not found and whom a row needs, with that row.
select id, uid, first_row as row from users where creation is null and first_row is not null and id > :after order by id limit :limit;

-- name: plan_user
-- In: user, creation.
update users set creation = :creation where id = :user;

-- name: refuse_owners
-- In: reactivate (0 or 1). Groups whose owner neither exists nor would be created.
update groups set creation = 'GROUP_OWNER_NOT_FOUND' where creation = '' and exists (
  select 1 from users u where u.region = groups.region and u.uid = groups.owner
    and (u.state in ('unknown', 'deactivated') and u.creation is not '' or u.state = 'deactivated' and not :reactivate));

-- name: doubt_owners
-- Groups that were refused for their owner, where a row of another group makes that owner active again, perhaps before the group
-- is created.
with placed as materialized (
  -- The first and the last group that rows add such a user to: two different ones, or the same.
  select user_id as id, min(group_id) as first, max(group_id) as last
  from wanted where adds and state = 'deactivated' and first_row is not null group by user_id)
update groups set creation = 'NEW_USER' where id in (
  select g.id from groups g cross join users u on u.region = g.region and u.uid = g.owner join placed p on p.id = u.id
  where g.creation = 'GROUP_OWNER_NOT_FOUND' and (p.first <> g.id or p.last <> g.id));

-- name: make_verdicts
-- In: reactivate, lifts (0 or 1: whether adding a banned user lifts the ban), anybody (0 or 1: whether users may act in groups
-- that they are not in), scopes and places, and codes.
-- The verdict of every row that would be sent, in the order in which the service checks. Rules for acting users:
-- docs/chat-service.md, 12. What the service documents in two ways, or what depends on the order of rows, is not foretold.
insert into verdicts (row_id, verdict, code)
with moved as materialized (
  -- Acting users who are in rows of the same group.
  select group_id, lower(uid) as uid, max(adds) as joins, max(not adds) as leaves from wanted
  where (group_id, lower(uid)) in (select group_id, lower(on_behalf_of) from staged.call_groups where on_behalf_of <> '')
  group by 1, 2
), acting as (
  select cg.id as call_group_id, cg.on_behalf_of as actor, u.state as actor_state, u.creation as actor_creation,
    u.first_row as actor_row, m.joins, m.leaves,
    case
      when :anybody then :admin
      when g.state = 'missing' then iif(g.owner = cg.on_behalf_of collate nocase, :admin, :outside)
      when coalesce(p.place, g.absent) <> :admin and g.owner = cg.on_behalf_of collate nocase then :other
      else coalesce(p.place, g.absent) end as place
  from staged.call_groups cg join groups g on g.id = cg.group_id
  join users u on u.region = g.region and u.uid = cg.on_behalf_of
  left join members p on p.group_id = g.id and p.uid = cg.on_behalf_of
  left join moved m on m.group_id = g.id and m.uid = lower(cg.on_behalf_of)
  where cg.on_behalf_of <> ''
), found as (
  select r.*, r.uid = r.owner collate nocase as owns, r.uid = a.actor collate nocase as acts, coalesce(m.place, r.absent) as now, a.*
  from wanted r
  left join members m on m.group_id = r.group_id and m.uid = r.uid
  left join acting a on a.call_group_id = r.call_group_id
), judged as (
  select id,
    case
      when group_state = 'missing' and group_creation is null then 'fail:' || :group_missing
      when group_state = 'missing' and group_creation = 'NEW_USER' then 'not_checked:NEW_USER'
      when group_state = 'missing' and group_creation <> '' then 'fail:' || group_creation
      when group_state not in ('found', 'missing') then 'not_checked:' || group_code
      when group_state = 'missing' and (action <> 'add' or owns) then 'not_checked:NEW_GROUP'
      when actor_state in ('unknown', 'deactivated') and not (group_state = 'missing' and place = :admin) then
        iif(actor_creation = '' or actor_state = 'deactivated' and :reactivate and actor_row is not null, 'not_checked:NEW_USER', 'fail:ACTING_USER_NOT_FOUND')
      when acts and not :anybody and not (adds and place is :admin) then
        case when place is null then 'not_checked:'
          when not adds then 'not_checked:SELF_ACTION'
          when place = :ban then iif(:lifts, 'not_checked:SELF_ACTION', 'fail:BANNED')
          when place = :outside and scope_id = :participant and type = 'private' then 'fail:' || :join_not_allowed
          when place = :outside and scope_id = :participant and type = 'password' then 'fail:' || :wrong_password
          else 'not_checked:SELF_ACTION' end
      when not :anybody and (leaves or (joins and coalesce(place, :other) in (:outside, :ban, :other))) then 'not_checked:ACTING_USER_MOVES'
      when actor is not null and place is null then 'not_checked:'
      when place in (:outside, :ban) then 'fail:' || :actor_outside
      when place = :other then 'not_checked:ACTING_SCOPE'
      when place = :participant then 'fail:' || :too_low
      when place = :moderator and adds then iif(scope_id = :participant, 'not_checked:ACTING_SCOPE', 'fail:' || :scope_too_low)
      when place = :moderator and (now = :admin or now = :moderator and action <> 'change' or action = 'change' and scope_id = :admin)
        then 'fail:' || :too_low
      when place = :moderator and (action in ('change', 'unban') or now = :other or now = :ban and action = 'remove')
        then 'not_checked:ACTING_SCOPE'
      when owns and not :anybody and (action in ('change', 'remove') or action = 'unban' and now = :ban or actor is not null and scope_id = :ban) then 'not_checked:OWNER'
      when now = :ban and not :lifts and adds then 'fail:BANNED'
      when state = 'deactivated' then
        case when not :reactivate then 'fail:USER_DEACTIVATED'
          when not adds then
            iif(first_row is not null and coalesce(creation, '') = '', 'not_checked:NEW_USER', 'fail:USER_DEACTIVATED')
          when creation <> '' then 'fail:' || creation
          else iif(group_state = 'missing', 'create:REACTIVATE_AND_CREATE_GROUP', 'create:REACTIVATE_USER') end
      when state = 'unknown' then
        case when creation is null then 'fail:' || :user_missing
          when not adds then iif(creation = '', 'not_checked:NEW_USER', 'fail:' || :user_missing)
          when creation <> '' then 'fail:' || creation
          else iif(group_state = 'missing', 'create:CREATE_BOTH', 'create:CREATE_USER') end
      when state is null or (now is null and group_state = 'found') then 'not_checked:'
      when group_state = 'missing' then iif(scope_id = :ban, 'ban:', 'create:CREATE_GROUP')
      when action = 'remove' then iif(now in (:outside, :ban), 'nothing_to_do:', 'remove:')
      when action = 'unban' then iif(now = :ban, 'unban:', 'nothing_to_do:')
      when action = 'change' then case when now in (:outside, :ban) then 'fail:' || :not_a_member
        when now = scope_id then 'already_member:' else 'change:' end
      when now = :ban then iif(scope_id = :ban, 'already_banned:', 'lifts_ban:')
      when scope_id = :ban then 'ban:'
      when now = :outside then iif(joined_at < since, 'fail:' || :too_early, 'add:')
      when now = scope_id then 'already_member:'
      else 'other_scope:'
    end as found
  from found
)
select id, substr(found, 1, instr(found, ':') - 1), substr(found, instr(found, ':') + 1) from judged;

-- name: count_new
-- Out: users and groups that would be created, and users who would be made active again.
select (select count(*) from groups where creation = '') as groups,
  (select count(*) from users where creation = '' and state = 'unknown') as users,
  (select count(distinct user_id) from checked where code in ('REACTIVATE_USER', 'REACTIVATE_AND_CREATE_GROUP')) as reactivated;

-- name: count_missing
-- In: ban (scope), user_missing (code). Out: groups and users that count against the limit: those that are missing, whether they can be created or not.
select (select count(*) from groups where creation is not null) as groups,
  (select count(*) from (
    select user_id from checked where state in ('unknown', 'deactivated') and scope_id <> :ban
      and (verdict = 'create' or (code in (:user_missing, 'USER_DEACTIVATED', 'NO_NAME', 'BAD_METADATA', 'FIELD_LIMIT') and group_state = 'found'))
    union select id from users where creation is not null)) as users;

-- name: count_known
-- Out: groups and users of the file, for limits in percent.
select (select count(*) from staged.groups where guid <> '') as groups,
  (select count(distinct uid_hash) from staged.rows where call_group_id is not null) as users;

-- name: count_groups
-- In: most (members of a group). Out: groups by what was found, those that would have more members, and rows without room.
select * from
  (select count(*) as asked, total(state = 'found') as found, total(state = 'missing') as missing,
     total(state = 'failed') as failed from groups),
  (select count(*) as full, coalesce(sum(after - :most), 0) as rowsWithoutRoom from growing where after > :most);

-- name: count_users
-- In: most (groups of a user). Out: users by state, and those whom the file puts into more.
select count(*) as asked, total(state = 'exists') as exist, total(state = 'unknown') as unknown,
  total(state = 'deactivated') as deactivated, total(state is null) as notChecked,
  (select count(*) from (select user_id from asked group by user_id having count(*) > :most)) as inTooManyGroups
from users;

-- name: counted
-- Out: rows of the file, and those that wait until the first rows are sent; messages and calls of both ways to add them, added and in
-- silence: null where rows do not only add.
select sum(n) filter (where name = 'read') as read, sum(n) filter (where name = 'addedMessages') as messages,
  sum(n) filter (where name = 'addedCalls') as addedCalls, sum(n) filter (where name = 'silentCalls') as silentCalls,
  (select coalesce(sum(size), 0) from staged.batches where state = 'later') as later
from staged.counters;

-- name: calls_to_send
-- In: looks (calls for every group before rows are sent to it), call (UIDs in a call), made (users or groups that one call creates). Out: calls by region: batches that wait, groups that are looked
-- at first, users who are created or made active again. A new group comes with its first members.
select region, sum(n) as n from (
  select r.name as region, count(*) as n from staged.batches b join staged.regions r on r.id = b.region_id
  where b.state in ('pending', 'dispatched', 'later') group by 1
  union all
  select region, count(*) * :looks from groups group by 1
  union all
  select region, ceil(1.0 * count(*) / :made) from users where creation = '' group by 1
  union all
  select region, ceil(1.0 * count(*) / :made) from groups where creation = '' and :made > 1 group by 1
  union all
  select region, ceil(1.0 * count(distinct user_id) / :call) from checked
  where state = 'deactivated' and code in ('REACTIVATE_USER', 'REACTIVATE_AND_CREATE_GROUP') group by 1
) group by region having sum(n) > 0 order by region;

-- name: group_results
-- Out: groups in the order of the file, with the verdicts in each.
select g.region, g.guid, g.state, g.code, g.message, g.name as group_name, g.type as group_type, g.owner as group_owner,
  g.size as members, g.creation, coalesce(v.rows, 0) as rows, coalesce(v.adds, 0) as "add", coalesce(v.fails, 0) as fail
from groups g
left join (select group_id, count(*) as rows, sum(verdict in ('add', 'create', 'lifts_ban')) as adds, sum(verdict = 'fail') as fails
           from checked group by group_id) v on v.group_id = g.id
order by g.id;

-- name: grown_groups
-- In: most (members of a group). Out: groups that would grow from at most so many members to more, the largest with its members.
select count(*) as n, guid, max(after) as members from growing where before <= :most and after > :most;

-- name: messages
-- Out: memberships that would change, each with a message at most, and in how many groups.
select count(*) as count, count(distinct group_id) as groups from checked
where verdict in ('add', 'create', 'lifts_ban', 'ban', 'change', 'remove', 'unban');

-- name: row_results
-- Out: every row of the file in its order, with its verdict: those that would not be sent have one too.
select r.line as row, coalesce(reg.name, '') as region, coalesce(g.guid, inv.guid, '') as guid, coalesce(r.uid, '') as uid,
  coalesce(s.name, inv.scope, '') as scope,
  case when v.row_id then v.verdict when d.row_id then 'duplicate' when sk.row_id then 'skipped' when p.row_id then 'invalid' end as verdict,
  coalesce(v.code, iif(d.row_id, '', coalesce(sk.code, p.code, ''))) as code,
  (select o.line from staged.rows o where o.id = d.of_row) as of_line, p.reason as problem, sk.message as left_out,
  iif(cg.id is null, null, coalesce(m.place, here.absent)) as place, here.message as group_message, cg.on_behalf_of as acting, pa.value
from staged.rows r
left join main.verdicts v on v.row_id = r.id
left join staged.duplicates d on d.row_id = r.id
left join staged.skipped sk on sk.row_id = r.id
left join staged.problems p on p.row_id = r.id and p.position = 0
left join staged.regions reg on reg.id = r.region_id
left join staged.groups g on g.id = r.group_id
left join main.groups here on here.id = r.group_id
left join staged.scopes s on s.id = r.scope_id
left join staged.invalid_rows inv on inv.row_id = r.id
left join staged.call_groups cg on cg.id = r.call_group_id
left join staged.parts pa on pa.row_id = r.id
left join main.members m on m.group_id = r.group_id and m.uid = r.uid
order by r.id;
