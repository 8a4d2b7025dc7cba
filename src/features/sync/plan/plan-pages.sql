-- A plan page by page: statements that look at a bounded part of it each.

-- name: next_group
-- In: after (id of a group, 0: none). Out: the next group in the order of the file; nothing behind the last one.
select id, region, guid, listing, code, message, wanted, members, creates
  from groups where id > :after order by id limit 1;

-- name: counts
-- In: group (id). Out: its actions counted.
select coalesce(sum(action = 'add'), 0) as adds, coalesce(sum(action = 'change'), 0) as changes,
       coalesce(sum(action = 'keep'), 0) as keeps, coalesce(sum(action = 'remove'), 0) as removes,
       coalesce(sum(action = 'ban'), 0) as bans, coalesce(sum(action = 'report'), 0) as reports,
       coalesce(sum(reason = 'right'), 0) as correct
  from actions where group_id = :group;

-- name: span
-- In: region, guid (null: any). Out: the ids between which these groups are; first above last where there are none.
select coalesce(min(id), 1) as first, coalesce(max(id), 0) as last
  from groups where (:region is null or region = :region) and (:guid is null or guid = :guid);

-- name: action_slice
-- In: group and uid of the action behind which the slice begins, last (id of a group), most (actions that are looked at),
-- actions (JSON array of names), region, guid (null: any), limit. Out: those that are chosen, in the order of the groups,
-- then by UID.
select a.group_id as number, g.region, g.guid, a.uid, a.action, a.from_id, a.to_id, a.reason, a.line
  from (select * from actions where (group_id, uid) > (:group, :uid) and group_id <= :last
         order by group_id, uid limit :most) as a
  join groups g on g.id = a.group_id
 where a.action in (select value from json_each(:actions))
   and (:region is null or g.region = :region) and (:guid is null or g.guid = :guid)
 order by a.group_id, a.uid limit :limit;

-- name: slice_end
-- In: group, uid and last as in action_slice, and `most` less one. Out: the last action that it looks at; nothing where
-- the plan ends before.
select group_id as number, uid from actions where (group_id, uid) > (:group, :uid) and group_id <= :last
 order by group_id, uid limit 1 offset :behind;
