-- Statements on deleting what an import has created, by name.

-- name: created
-- Out: users and groups that the import created or reactivated and that are still to be looked at, groups first.
select c.id, c.kind, r.name as region, c.name, c.group_id, c.outcome, c.code, c.at, c.body from creations c
  join regions r on r.id = c.region_id
 where c.outcome in ('created', 'reactivated') and (c.undone is null or c.undone = 'kept') order by c.kind, c.id;

-- name: rows_of
-- In: group, uids (JSON array, in lower case). Out: those of these users whom rows of the import name in the group.
select distinct lower(r.uid) as uid from call_groups cg join batches b on b.call_group_id = cg.id join memberships m on m.batch_id = b.id
  join rows r on r.id = m.row_id
 where cg.group_id = :group and lower(r.uid) in (select value from json_each(:uids));

-- name: groups_naming
-- In: region, uid (in lower case), hash. Out: groups in which rows name this user.
select distinct lower(g.guid) as guid from rows r join groups g on g.id = r.group_id join regions reg on reg.id = g.region_id
 where r.uid_hash = :hash and lower(r.uid) = :uid and reg.name = :region;

-- name: note
-- In: id, undone, why. Records the outcome of its deletion.
update creations set undone = :undone, why_kept = :why where id = :id;

-- name: made
-- In: limit. Out: the first users and groups that the import created or reactivated, and the outcome of their deletion.
select c.id, c.kind, r.name as region, c.name, c.outcome, coalesce(c.code, '') as code, c.undone, coalesce(c.why_kept, '') as why from creations c
  join regions r on r.id = c.region_id
 where c.outcome in ('created', 'reactivated') order by c.kind, c.id limit :limit;

-- name: count_made
-- Out: how many there are, and how many of them were certainly created by the import and are not deleted.
select count(*) as total,
       coalesce(sum(outcome = 'created' and code = '' and (undone is null or undone = 'kept')), 0) as deletable
  from creations where outcome in ('created', 'reactivated');
