-- A plan page by page: statements that look at a bounded part of it each.

-- name: span
-- In: region, guid (null: any). Out: the ids between which these groups are; first above last where there are none.
select coalesce(min(id), 1) as first, coalesce(max(id), 0) as last
  from groups where (:region is null or region = :region) and (:guid is null or guid = :guid);

-- name: action_slice
-- In: group and uid of the action behind which the slice begins, last (id of a group), most (actions that are looked at),
-- actions (JSON array of names), region, guid (null: any), limit. Out: those that are chosen, in the order of the groups,
-- then by UID.
select a.group_id as "group", g.region, g.guid, a.uid, a.action, a.from_id as "from", a.to_id as "to", a.reason, a.line
  from (select * from actions where (group_id, uid) > (:group, :uid) and group_id <= :last
         order by group_id, uid limit :most) as a
  join groups g on g.id = a.group_id
 where a.action in (select value from json_each(:actions))
   and (:region is null or g.region = :region) and (:guid is null or g.guid = :guid)
 order by a.group_id, a.uid limit :limit;

-- name: slice_end
-- In: group, uid and last as in action_slice, and `most` less one. Out: the last action that it looks at; nothing where
-- the plan ends before.
select group_id as "group", uid from actions where (group_id, uid) > (:group, :uid) and group_id <= :last
 order by group_id, uid limit 1 offset :behind;

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
