-- Queries on plans. The connection may be one that only reads.

-- name: facts
-- Out: what the plan was made from, and how.
select json_object('file', file, 'hash', hash, 'size', size, 'rows', rows, 'invalid', invalid, 'plannedAt', planned_at,
                   'fields', json(fields), 'notes', json(notes), 'flags', json(flags)) from plan;

-- name: creating
-- Out: what may be created, and what is known to be missing; nothing where nothing may be.
select creating from plan where creating is not null;

-- name: group_counts
-- In: after (number of a group, 0: none), limit (-1: all). Out: groups in the order of the file, with their actions counted. `leaving`:
-- members who would lose their membership; `staying`: members that stay by their own right and not because they are spared;
-- `rejoining`: users who left and would be added again; `ownerHit`: the owner is one of those who lose something; `contested`: of an undo, members whom others want as they are, or who may
-- have been there before. (A place from 1 to 3 is a member's, the highest scope first.)
select g.id, g.region, g.guid, g.listing, g.code, g.message, g.owner, g.wanted, g.members, g.creates,
       json_object(
         'add', total(action = 'add'), 'change', total(action = 'change'),
         'keep', total(action = 'keep'), 'remove', total(action = 'remove'),
         'ban', total(action = 'ban'), 'report', total(action = 'report')) as actions,
       total(reason = 'right') as "right",
       total(action in ('remove', 'ban') and from_id between 1 and 3) as leaving,
       total(action = 'change' and to_id > from_id) as lowered,
       g.members - total(action in ('remove', 'ban', 'report') and from_id between 1 and 3
         and reason not in ('not_ours', 'changed_by_others')) as staying,
       total(reason = 'left_added') as rejoining,
       total(a.uid = g.owner and (action in ('remove', 'ban') or (action = 'change' and to_id > from_id))) as ownerHit,
       total(reason in ('undo_moved', 'spared_claimed', 'undo_perhaps_added')) as contested
  from groups g left join actions a on a.group_id = g.id
 where g.id > :after group by g.id order by g.id limit :limit;

-- name: reported
-- Out: members of whom something is reported and not done, counted by reason and place, most first.
select reason, from_id as "from", to_id as "to", count(*) as users from actions where action = 'report'
 group by 1, 2, 3 order by users desc, reason;

-- name: owners_needed
-- Out: groups where a user is spared only because the owner was not asked for yet.
select id from groups
 where facts is null and id in (select group_id from actions where reason in ('spared_owner_unknown', 'not_lowered_owner_unknown'))
 order by id;

-- name: bans_needed
-- Out: groups with changes whose banned users are not known yet, or with changes that only wait for the owner.
select id from groups
 where bans_known = 0 and id in (
   select group_id from actions
    where action in ('add', 'change', 'remove', 'ban') or reason in ('spared_owner_unknown', 'not_lowered_owner_unknown'))
 order by id;

-- name: actions
-- In: actions (JSON array of names), group and uid of the action behind which they begin, last (number of a group), limit (-1: all).
-- Out: actions in the order of the groups, then by UID, each with the row of the staged file that asks for it.
select g.region, g.guid, a.uid, a.action, a.from_id as "from", a.to_id as "to", a.reason, a.line,
       a.row_id as row, a.group_id as "group", g.creates is not null as isNew
  from actions a join groups g on g.id = a.group_id
 where (a.group_id, a.uid) > (:group, :uid) and a.group_id <= :last and a.action in (select value from json_each(:actions))
 order by a.group_id, a.uid limit :limit;

-- name: losses
-- Out: memberships that the plan changes or removes, in the order of the groups.
select g.region, g.guid, a.uid, g.id as "group" from actions a join groups g on g.id = a.group_id
 where a.from_id <> 0 and a.action in ('add', 'change', 'remove', 'ban') order by g.id;

-- name: live_of_group
-- In: group. Out: all users in it when it was listed, by UID.
select l.uid, g.guid, l.place, g.region from members l join groups g on g.id = l.group_id where g.id = :group order by l.uid;

-- name: objections
-- In: limit (-1: all). Out: what the guards say, in their order.
select guard, region, guid, value, "limit", what, remedy from findings order by id limit :limit;

-- name: next_group
-- In: group (number of one, 0: the first), region, guid (null: any). Out: the number of the first of these groups from there.
select id from groups
 where id >= :group and (:region is null or region = :region) and (:guid is null or guid = :guid) order by id limit 1;

-- name: guard_counts
-- Out: each guard that objects, in the order of the guards, and how often.
select guard, count(*) as count, sum(value) as total from findings group by guard order by min(id);

-- name: findings_page
-- In: guard, search (part of a group's GUID, '' for all), value and id of the objection before, limit. Out: objections,
-- the worst first, with the members of its group (null: it concerns no single one).
select f.id, f.guard, f.region, f.guid, f.value, f."limit", f.what as sentence, f.remedy, g.members
  from findings f left join groups g on g.region = f.region and g.guid = f.guid
 where f.guard = :guard and (:search = '' or instr(lower(coalesce(f.guid, '')), lower(:search)) > 0)
   and (f.value < :value or (f.value = :value and f.id > :id))
 order by f.value desc, f.id limit :limit;

-- name: unknown_groups
-- Out: how many groups the service does not know and that are not created.
select count(*) as groups from groups where listing = 'not_found' and creates is null;
