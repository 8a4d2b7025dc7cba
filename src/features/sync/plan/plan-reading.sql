-- Queries on plans. The connection may be one that only reads.

-- name: facts
-- Out: what the plan was made from, and how.
select file, hash, size, rows, invalid, fields, notes, flags, planned_at from plan;

-- name: creating
-- Out: what may be created, and what is known to be missing; null where nothing may be.
select creating from plan;

-- name: group_counts
-- Out: groups in the order of the file, with their actions counted. `leaving`: members who would lose their membership;
-- `staying`: members that stay by their own right and not because they are spared; `owner_hit`: the owner is one of those
-- who lose something; `contested`: of an undo, members whom others want as they are, or who may have been there before. (A place from 1 to 3 is a member's, the highest scope first.)
select g.region, g.guid, g.listing, g.code, g.message, g.owner, g.wanted, g.members, g.creates,
       coalesce(a.adds, 0) as adds, coalesce(a.changes, 0) as changes, coalesce(a.keeps, 0) as keeps,
       coalesce(a.removes, 0) as removes, coalesce(a.bans, 0) as bans, coalesce(a.reports, 0) as reports,
       coalesce(a.correct, 0) as correct, coalesce(a.leaving, 0) as leaving, coalesce(a.lowered, 0) as lowered,
       g.members - coalesce(a.leaving + a.reported, 0) as staying, coalesce(a.owner_hit, 0) as owner_hit,
       coalesce(a.contested, 0) as contested
  from groups g
  left join (select x.group_id,
                    sum(action = 'add') as adds, sum(action = 'change') as changes, sum(action = 'keep') as keeps,
                    sum(action = 'remove') as removes, sum(action = 'ban') as bans, sum(action = 'report') as reports,
                    sum(reason = 'right') as correct,
                    sum(action in ('remove', 'ban') and from_id between 1 and 3) as leaving,
                    sum(action = 'change' and to_id > from_id) as lowered,
                    sum(action = 'report' and from_id between 1 and 3) as reported,
                    sum(uid = o.owner and (action in ('remove', 'ban') or (action = 'change' and to_id > from_id))) as owner_hit,
                    sum(reason in ('undo_moved', 'spared_claimed', 'undo_perhaps_added')) as contested
               from actions x join groups o on o.id = x.group_id group by x.group_id) as a on a.group_id = g.id
 order by g.id;

-- name: reported
-- Out: members of whom something is reported and not done, counted by reason and place, most first.
select reason, from_id, to_id, count(*) as n from actions where action = 'report' group by 1, 2, 3 order by n desc, reason;

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
select g.region, g.guid, a.uid, a.action, a.from_id, a.to_id, a.reason, a.line
  from actions a join groups g on g.id = a.group_id
 where a.action in (select value from json_each(:actions))
 order by a.group_id, a.uid;

-- name: changes
-- Out: actions that send something, in the order of the groups, then by UID, each with the row that asks for it.
select g.region, g.guid, a.uid, a.action, a.from_id, a.to_id, a.reason, a.line,
       a.row_id, a.group_id, g.creates is not null as is_new
  from actions a join groups g on g.id = a.group_id
 where a.action in ('add', 'change', 'remove', 'ban')
 order by a.group_id, a.uid;

-- name: live_of_group
-- Out: all users in a group when it was listed, by UID.
select l.uid, l.place as state from members l join groups g on g.id = l.group_id where g.region = :region and g.guid = :guid order by l.uid;

-- name: findings
-- Out: what the guards say, in their order.
select guard, region, guid, value, allowed, sentence from findings order by id;
