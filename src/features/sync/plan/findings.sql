-- Objections of a plan's guards, by guard and page by page.

-- name: guard_counts
-- Out: each guard that objects, in the order of the guards: how often, and its worst objection (id).
select guard, count(*) as count, sum(value) as total,
       (select w.id from findings w where w.guard = f.guard order by w.value desc, w.id limit 1) as worst
  from findings f group by guard order by min(id);

-- name: finding
-- In: id. Out: the objection, with the members of its group (null: it concerns no single one).
select f.id, f.guard, f.region, f.guid, f.value, f.allowed, f.sentence, g.members
  from findings f left join groups g on g.region = f.region and g.guid = f.guid where f.id = :id;

-- name: findings_page
-- In: guard, search (part of a group's GUID, '' for all), value and id of the objection before, limit. Out: objections,
-- the worst first.
select f.id, f.guard, f.region, f.guid, f.value, f.allowed, f.sentence, g.members
  from findings f left join groups g on g.region = f.region and g.guid = f.guid
 where f.guard = :guard and (:search = '' or instr(lower(coalesce(f.guid, '')), lower(:search)) > 0)
   and (f.value < :value or (f.value = :value and f.id > :id))
 order by f.value desc, f.id limit :limit;

-- name: first_findings
-- In: limit. Out: objections in the order of the guards.
select guard, region, guid, value, allowed, sentence from findings order by id limit :limit;

-- name: unknown_groups
-- Out: how many groups the service does not know and that are not created.
select count(*) as groups from groups where listing = 'not_found' and creates is null;
