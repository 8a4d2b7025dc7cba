-- Queries on plans. The connection may be one that only reads.

-- name: facts
-- Out: what the plan was made from, and how.
select file, hash, size, rows, invalid, fields, notes, flags, planned_at as plannedAt from plan;

-- name: creating
-- Out: what may be created, and what is known to be missing; null where nothing may be.
select creating from plan;

-- name: group_counts
-- In: after (number of a group, 0: none), limit (-1: all). Out: groups in the order of the file, with their actions counted. `leaving`:
-- members who would lose their membership; `staying`: members that stay by their own right and not because they are spared;
-- `rejoining`: users who left and would be added again; `ownerHit`: the owner is one of those who lose something; `contested`: of an undo, members whom others want as they are, or who may
-- have been there before. (A place from 1 to 3 is a member's, the highest scope first.)
select g.id, g.region, g.guid, g.listing, g.code, g.message, g.owner, g.wanted, g.members, g.creates,
       count(*) filter (where action = 'add') as "add", count(*) filter (where action = 'change') as change,
       count(*) filter (where action = 'keep') as keep, count(*) filter (where action = 'remove') as remove,
       count(*) filter (where action = 'ban') as ban, count(*) filter (where action = 'report') as report,
       count(*) filter (where reason = 'right') as "right",
       count(*) filter (where action in ('remove', 'ban') and from_id between 1 and 3) as leaving,
       count(*) filter (where action = 'change' and to_id > from_id) as lowered,
       g.members - count(*) filter (where action in ('remove', 'ban', 'report') and from_id between 1 and 3
         and reason not in ('not_ours', 'changed_by_others')) as staying,
       count(*) filter (where reason = 'left_added') as rejoining,
       count(*) filter (where a.uid = g.owner and (action in ('remove', 'ban') or (action = 'change' and to_id > from_id))) as ownerHit,
       count(*) filter (where reason in ('undo_moved', 'spared_claimed', 'undo_perhaps_added')) as contested
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

-- name: actions_chosen
-- In: actions (JSON array of names). Out: actions in the order of the groups, then by UID.
select g.region, g.guid, a.uid, a.action, a.from_id as "from", a.to_id as "to", a.reason, a.line
  from actions a join groups g on g.id = a.group_id
 where a.action in (select value from json_each(:actions))
 order by a.group_id, a.uid;

-- name: changes
-- Out: actions that send something, in the order of the groups, then by UID, each with the row that asks for it.
select g.region, g.guid, a.uid, a.action, a.from_id as "from", a.to_id as "to", a.reason, a.line,
       a.row_id as row, a.group_id as "group", g.creates is not null as isNew
  from actions a join groups g on g.id = a.group_id
 where a.action in ('add', 'change', 'remove', 'ban')
 order by a.group_id, a.uid;

-- name: live_of_group
-- Out: all users in a group when it was listed, by UID.
select l.uid, l.place from members l join groups g on g.id = l.group_id where g.region = :region and g.guid = :guid order by l.uid;

-- name: objections
-- In: limit (-1: all). Out: what the guards say, in their order.
select guard, region, guid, value, "limit", what, remedy from findings order by id limit :limit;
