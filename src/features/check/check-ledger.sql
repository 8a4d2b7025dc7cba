-- Statements on the survey of a check. `staged` is the import's ledger, attached and only read.

-- name: fill_groups
-- Groups of the rows that would be sent.
insert into groups (id, region, guid)
select g.id, r.name, g.guid from staged.groups g join staged.regions r on r.id = g.region_id
where exists (select 1 from staged.call_groups cg where cg.group_id = g.id)
  and g.id in (select group_id from staged.rows where call_group_id is not null);

-- name: fill_users
-- Users of the rows that would be sent.
insert or ignore into users (region, uid)
select r.name, rows.uid from staged.rows rows join staged.regions r on r.id = rows.region_id where rows.call_group_id is not null;

-- name: fill_acting_users
-- Users on whose behalf rows would be sent.
insert or ignore into users (region, uid)
select g.region, cg.on_behalf_of from staged.call_groups cg join groups g on g.id = cg.group_id where cg.on_behalf_of <> '';

-- name: fill_places
-- Users of rows, in the groups of these rows.
insert or ignore into asked (group_id, user_id)
select rows.group_id, u.id
from staged.rows rows join groups g on g.id = rows.group_id join users u on u.region = g.region and u.uid = rows.uid
where rows.call_group_id is not null;

-- name: fill_acting_places
-- Acting users, in the groups in which they act.
insert or ignore into asked (group_id, user_id)
select g.id, u.id
from staged.call_groups cg join groups g on g.id = cg.group_id join users u on u.region = g.region and u.uid = cg.on_behalf_of
where cg.on_behalf_of <> '';

-- name: count_asked
-- After filling: how many users are asked about in each group.
update groups set asked = (select count(*) from asked where group_id = groups.id);

-- name: forget_verdicts
-- Before they are made.
delete from verdicts;

-- name: new_groups
-- In: add (action). Out: missing groups to which rows add users.
select g.id, g.guid, g.region from groups g where g.state = 'missing' and exists (
  select 1 from staged.call_groups cg join staged.batches b on b.call_group_id = cg.id
  where cg.group_id = g.id and cg.action_id = :add and b.size > b.bans);

-- name: rows_of_new_group
-- In: group. Out: what the input had for its rows, in its order.
select case r.original when '' then f.original else r.original end as original
from staged.call_groups cg join staged.batches b on b.call_group_id = cg.id join staged.memberships m on m.batch_id = b.id
join staged.rows r on r.id = m.row_id
left join staged.parts pa on pa.row_id = r.id left join staged.rows f on f.id = pa.first_row
where cg.group_id = :group order by m.row_id limit 1000;

-- name: acting_user
-- In: group, add (action). Out: the only user on whose behalf rows are added to it, who creates and owns a group without an owner.
select iif(count(distinct lower(on_behalf_of)) = 1, min(on_behalf_of), null) as uid
from staged.call_groups where group_id = :group and action_id = :add and on_behalf_of <> '';

-- name: plan_group
-- In: group, creation, name, type, owner (null: none). Stores the values with which it would be created.
update groups set creation = :creation, facts = json_object('name', :name, 'type', :type, 'owner', :owner) where id = :group;

-- name: find_first_rows
-- In: add (action), ban (scope). For every user who is not found, the first row that needs it. No user is created just to be banned.
update users set first_row = f.row_id from (
  select u.id, min(r.id) as row_id
  from staged.rows r join staged.call_groups cg on cg.id = r.call_group_id and cg.action_id = :add
  join groups g on g.id = r.group_id join users u on u.region = g.region and u.uid = r.uid
  where r.scope_id <> :ban and u.state in ('unknown', 'deactivated') and (g.state = 'found' or g.creation = '')
  group by u.id) f where f.id = users.id;

-- name: unknown_owners
-- Out: unknown and deactivated owners of groups that would be created, with their row in the group (null: none).
select u.id, u.uid, min((select min(r.id) from staged.call_groups cg join staged.batches b on b.call_group_id = cg.id
  join staged.memberships m on m.batch_id = b.id join staged.rows r on r.id = m.row_id
  where cg.group_id = g.id and r.uid = u.uid collate nocase)) as row_id
from groups g join users u on u.region = g.region and u.uid = g.owner
where g.creation = '' and u.state in ('unknown', 'deactivated') group by u.id;

-- name: users_to_plan
-- In: after (number of a user), limit. Out: users who are not found and whom a row needs, with what the input had for it.
select u.id, r.uid, case r.original when '' then f.original else r.original end as original
from users u join staged.rows r on r.id = u.first_row
left join staged.parts pa on pa.row_id = r.id left join staged.rows f on f.id = pa.first_row
where u.creation is null and u.first_row is not null and u.id > :after order by u.id limit :limit;

-- name: original
-- In: row. Out: what the input had for it.
select case r.original when '' then f.original else r.original end as original from staged.rows r
left join staged.parts pa on pa.row_id = r.id left join staged.rows f on f.id = pa.first_row where r.id = :row;

-- name: plan_user
-- In: user, creation.
update users set creation = :creation where id = :user;

-- name: refuse_owners
-- In: reactivate (0 or 1). Groups whose owner neither exists nor would be created.
update groups set creation = 'GROUP_OWNER_NOT_FOUND' where creation = '' and exists (
  select 1 from users u where u.region = groups.region and u.uid = groups.owner
    and (u.state in ('unknown', 'deactivated') and u.creation is not '' or u.state = 'deactivated' and not :reactivate));

-- name: input_columns
-- Out: columns of the file.
select columns from staged.input;

-- name: make_verdicts
-- In: reactivate, lifts (0 or 1: whether adding a banned user lifts the ban), anybody (0 or 1: whether users may act in groups
-- that they are not in), actions, scopes and places, and codes.
-- The verdict of every row that would be sent, in the order in which the service checks. Rules for acting users:
-- docs/chat-service.md, 12. What the service documents in two ways, or what depends on the order of rows, is not foretold.
insert into verdicts (row_id, verdict, code)
with moved as materialized (
  -- Acting users who are in rows of the same group.
  select r.group_id, lower(r.uid) as uid, max(cg.action_id = :add and r.scope_id <> :ban) as joins, max(cg.action_id <> :add or r.scope_id = :ban) as leaves
  from (select distinct group_id, lower(on_behalf_of) as uid from staged.call_groups where on_behalf_of <> '') k
  join staged.rows r on r.group_id = k.group_id and lower(r.uid) = k.uid
  join staged.call_groups cg on cg.id = r.call_group_id
  group by 1, 2
), acting as (
  select cg.id as call_group_id, cg.on_behalf_of as uid, u.state, u.creation, u.first_row, m.joins, m.leaves,
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
), judged as (
  select r.id,
    case
      when g.state = 'missing' and g.creation is null then 'fail:' || :group_missing
      when g.state = 'missing' and g.creation <> '' then 'fail:' || g.creation
      when g.state not in ('found', 'missing') then 'not_checked:' || g.code
      when g.state = 'missing' and (cg.action_id <> :add or r.uid = g.owner collate nocase) then 'not_checked:NEW_GROUP'
      when a.state in ('unknown', 'deactivated') and not (g.state = 'missing' and a.place = :admin) then
        iif(a.creation = '' or a.state = 'deactivated' and :reactivate and a.first_row is not null, 'not_checked:NEW_USER', 'fail:ACTING_USER_NOT_FOUND')
      when r.uid = a.uid collate nocase and not :anybody and not (cg.action_id = :add and r.scope_id <> :ban and a.place is :admin) then
        case when a.place is null then 'not_checked:'
          when cg.action_id <> :add or r.scope_id = :ban then 'not_checked:SELF_ACTION'
          when a.place = :ban then iif(:lifts, 'not_checked:SELF_ACTION', 'fail:BANNED')
          when a.place = :outside and r.scope_id = :participant and g.type = 'private' then 'fail:' || :join_not_allowed
          when a.place = :outside and r.scope_id = :participant and g.type = 'password' then 'fail:' || :wrong_password
          else 'not_checked:SELF_ACTION' end
      when not :anybody and (a.leaves or (a.joins and coalesce(a.place, :other) in (:outside, :ban, :other))) then 'not_checked:ACTING_USER_MOVES'
      when a.uid is not null and a.place is null then 'not_checked:'
      when a.place in (:outside, :ban) then 'fail:' || :actor_outside
      when a.place = :other then 'not_checked:ACTING_SCOPE'
      when a.place = :participant then 'fail:' || :too_low
      when a.place = :moderator and cg.action_id = :add and r.scope_id <> :ban then
        iif(r.scope_id = :participant, 'not_checked:ACTING_SCOPE', 'fail:' || :scope_too_low)
      when a.place = :moderator and (coalesce(m.place, g.absent) = :admin or coalesce(m.place, g.absent) = :moderator and cg.action_id <> :change
        or cg.action_id = :change and r.scope_id = :admin) then 'fail:' || :too_low
      when a.place = :moderator and (cg.action_id in (:change, :unban) or coalesce(m.place, g.absent) = :other or coalesce(m.place, g.absent) = :ban and cg.action_id = :remove)
        then 'not_checked:ACTING_SCOPE'
      when r.uid = g.owner collate nocase and not :anybody
        and (cg.action_id in (:change, :remove) or a.uid is not null and r.scope_id = :ban) then 'not_checked:OWNER'
      when coalesce(m.place, g.absent) = :ban and not :lifts and cg.action_id = :add and r.scope_id <> :ban then 'fail:BANNED'
      when u.state = 'deactivated' then
        case when not :reactivate then 'fail:USER_DEACTIVATED'
          when cg.action_id <> :add or r.scope_id = :ban then
            iif(u.first_row is not null and coalesce(u.creation, '') = '', 'not_checked:NEW_USER', 'fail:USER_DEACTIVATED')
          when u.creation <> '' then 'fail:' || u.creation
          else iif(g.state = 'missing', 'create:REACTIVATE_AND_CREATE_GROUP', 'create:REACTIVATE_USER') end
      when u.state = 'unknown' then
        case when u.creation is null then 'fail:' || :user_missing
          when cg.action_id <> :add or r.scope_id = :ban then iif(u.creation = '', 'not_checked:NEW_USER', 'fail:' || :user_missing)
          when u.creation <> '' then 'fail:' || u.creation
          when g.state = 'missing' then 'create:CREATE_BOTH'
          else 'create:CREATE_USER' end
      when u.state is null or (coalesce(m.place, g.absent) is null and g.state = 'found') then 'not_checked:'
      when g.state = 'missing' then iif(r.scope_id = :ban, 'ban:', 'create:CREATE_GROUP')
      when cg.action_id = :remove then iif(coalesce(m.place, g.absent) in (:outside, :ban), 'nothing_to_do:', 'remove:')
      when cg.action_id = :unban then iif(coalesce(m.place, g.absent) = :ban, 'unban:', 'nothing_to_do:')
      when cg.action_id = :change then case when coalesce(m.place, g.absent) in (:outside, :ban) then 'fail:' || :not_a_member
        when coalesce(m.place, g.absent) = r.scope_id then 'already_member:' else 'change:' end
      when coalesce(m.place, g.absent) = :ban then case when r.scope_id = :ban then 'already_banned:' else 'lifts_ban:' end
      when r.scope_id = :ban then 'ban:'
      when coalesce(m.place, g.absent) = :outside then 'add:'
      when coalesce(m.place, g.absent) = r.scope_id then 'already_member:'
      else 'other_scope:'
    end as found
  from staged.rows r
  join staged.call_groups cg on cg.id = r.call_group_id
  join groups g on g.id = r.group_id
  join users u on u.region = g.region and u.uid = r.uid
  left join members m on m.group_id = g.id and m.uid = r.uid
  left join acting a on a.call_group_id = r.call_group_id
)
select id, substr(found, 1, instr(found, ':') - 1), substr(found, instr(found, ':') + 1) from judged;

-- name: count_new
-- Out: users and groups that would be created, and users who would be made active again.
select (select count(*) from groups where creation = '') as groups,
  (select count(*) from users where creation = '' and state = 'unknown') as users,
  (select count(distinct u.id) from verdicts x join staged.rows r on r.id = x.row_id join groups g on g.id = r.group_id
   join users u on u.region = g.region and u.uid = r.uid
   where x.code in ('REACTIVATE_USER', 'REACTIVATE_AND_CREATE_GROUP')) as reactivated;

-- name: count_missing
-- In: ban (scope), user_missing (code). Out: groups and users that count against the limit: those that are missing, whether they can be created or not.
select (select count(*) from groups where creation is not null) as groups,
  (select count(*) from (
    select u.id from verdicts x join staged.rows r on r.id = x.row_id join groups g on g.id = r.group_id
    join users u on u.region = g.region and u.uid = r.uid
    where u.state in ('unknown', 'deactivated') and r.scope_id <> :ban
      and (x.verdict = 'create' or (x.code in (:user_missing, 'USER_DEACTIVATED', 'NO_NAME', 'BAD_METADATA', 'FIELD_LIMIT') and g.state = 'found'))
    union select id from users where creation is not null)) as users;

-- name: count_known
-- Out: groups and users of the file, for limits in percent.
select (select count(*) from staged.groups) as groups,
  (select count(distinct uid_hash) from staged.rows where call_group_id is not null) as users;

-- name: later_rows
-- Out: rows that wait until the first rows are sent.
select coalesce(sum(b.size), 0) as n from staged.batches b where b.state = 'later';

-- name: count_verdicts
-- Out: rows by verdict and code, with the first of them.
select t.verdict, t.code, t.n, r.line, g.guid, r.uid
from (select verdict, code, count(*) as n, min(row_id) as first from verdicts group by verdict, code) t
join staged.rows r on r.id = t.first left join staged.groups g on g.id = r.group_id order by t.verdict, t.code;

-- name: count_invalid
-- Out: invalid rows by the code of their first problem, with the first of them.
select t.code, t.n, r.line, coalesce(i.guid, '') as guid, coalesce(r.uid, '') as uid, t.reason
from (select p.code, count(*) as n, min(p.row_id) as first, p.reason from staged.problems p
      where p.position = (select min(position) from staged.problems where row_id = p.row_id)
        and p.row_id not in (select row_id from staged.duplicates)
      group by p.code) t
join staged.rows r on r.id = t.first left join staged.invalid_rows i on i.row_id = r.id order by t.code;

-- name: count_groups
-- Out: groups by state.
select state, count(*) as n from groups group by state;

-- name: count_users
-- Out: users by state.
select coalesce(state, 'not_checked') as state, count(*) as n from users group by 1;

-- name: rows_read
-- Out: rows of the file.
select sum(n) as n from staged.counters where name = 'read';

-- name: unsent_rows
-- Out: rows that would not be sent, duplicates and others.
select (select count(*) from staged.rows where call_group_id is null and id in (select row_id from staged.duplicates)) as duplicate,
  (select count(*) from staged.rows where call_group_id is null and id not in (select row_id from staged.duplicates)
    and id not in (select row_id from staged.skipped)) as invalid,
  (select count(*) from staged.skipped) as skipped;

-- name: calls_to_send
-- In: looks (calls for every group before rows are sent to it), call (UIDs in a call). Out: calls by region: batches that wait, groups that are looked
-- at first, users who are created or made active again. A new group comes with its first members.
select region, sum(n) as n from (
  select r.name as region, count(*) as n from staged.batches b join staged.regions r on r.id = b.region_id
  where b.state in ('pending', 'dispatched', 'later') group by 1
  union all
  select region, count(*) * cast(:looks as integer) from groups group by 1
  union all
  select region, count(*) from users where creation = '' group by 1
  union all
  select region, (count(*) + cast(:call as integer) - 1) / cast(:call as integer) from users
  where state = 'deactivated' and id in (
    select u.id from verdicts x join staged.rows r on r.id = x.row_id join groups g on g.id = r.group_id
    join users u on u.region = g.region and u.uid = r.uid where x.code in ('REACTIVATE_USER', 'REACTIVATE_AND_CREATE_GROUP'))
  group by 1
) group by region having sum(n) > 0 order by region;

-- name: group_results
-- Out: groups in the order of the file, with the verdicts in each.
select g.id, g.region, g.guid, g.state, g.code, g.message, g.name, g.type, g.owner, g.size as members, g.creation,
  coalesce(v.rows, 0) as rows, coalesce(v.adds, 0) as adds, coalesce(v.fails, 0) as fails
from groups g
left join (select r.group_id, count(*) as rows, sum(x.verdict in ('add', 'create', 'lifts_ban')) as adds, sum(x.verdict = 'fail') as fails
           from verdicts x join staged.rows r on r.id = x.row_id group by r.group_id) v on v.group_id = g.id
order by g.id;

-- name: full_groups
-- In: most (members of a group). Out: groups that would have more, and rows without room.
select count(*) as groups, coalesce(sum(least), 0) as rows from (
  select coalesce(g.size, 0) + count(*) - :most as least
  from verdicts x join staged.rows r on r.id = x.row_id join groups g on g.id = r.group_id
  where x.verdict in ('add', 'create', 'lifts_ban') group by g.id having coalesce(g.size, 0) + count(*) > :most);

-- name: grown_groups
-- In: most (members of a group). Out: groups that would grow from at most so many members to more, the largest with its members.
select count(*) as n, guid, max(after) as members from (
  select g.guid, coalesce(g.size, 0) + count(*) as after
  from verdicts x join staged.rows r on r.id = x.row_id join groups g on g.id = r.group_id
  where x.verdict in ('add', 'create', 'lifts_ban') and coalesce(g.size, 0) <= :most
  group by g.id having coalesce(g.size, 0) + count(*) > :most);

-- name: users_in_many_groups
-- In: most (groups of a user). Out: users whom the file puts into more.
select count(*) as n from (select user_id from asked group by user_id having count(*) > :most);

-- name: messages
-- Out: memberships that would change, each with a message at most, and in how many groups.
select count(*) as count, count(distinct r.group_id) as groups from verdicts x join staged.rows r on r.id = x.row_id
where x.verdict in ('add', 'create', 'lifts_ban', 'ban', 'change', 'remove', 'unban');

-- name: row_results
-- Out: every row of the file in its order, with its verdict.
select r.line, coalesce(reg.name, '') as region, coalesce(g.guid, inv.guid, '') as guid, coalesce(r.uid, '') as uid,
  coalesce(s.name, inv.scope, '') as scope,
  case when x.row_id is not null then x.verdict when d.row_id is not null then 'duplicate' when sk.row_id is not null then 'skipped' else 'invalid' end as verdict,
  case when x.row_id is not null then x.code when d.row_id is not null then '' else coalesce(sk.code, pr.code, '') end as code,
  case when d.row_id is not null then (select o.line from staged.rows o where o.id = d.of_row) end as of_line,
  pr.reason as problem, iif(x.row_id is null, null, coalesce(m.place, checked.absent)) as place, checked.message as group_message, cg.on_behalf_of as acting,
  sk.message as left_out, pa.value as value
from staged.rows r
left join staged.regions reg on reg.id = r.region_id
left join staged.groups g on g.id = r.group_id
left join groups checked on checked.id = r.group_id
left join staged.scopes s on s.id = r.scope_id
left join staged.invalid_rows inv on inv.row_id = r.id
left join staged.call_groups cg on cg.id = r.call_group_id
left join verdicts x on x.row_id = r.id
left join staged.duplicates d on d.row_id = r.id
left join staged.skipped sk on sk.row_id = r.id
left join staged.parts pa on pa.row_id = r.id
left join staged.problems pr on pr.row_id = r.id and pr.position = (select min(position) from staged.problems where row_id = r.id)
left join members m on m.group_id = r.group_id and m.uid = r.uid
order by r.id;
