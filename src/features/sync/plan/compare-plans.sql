-- Two plans side by side, group by group. The second one is attached as `second`.

-- name: failures_table
-- What the imports that carried the plans out could not do, by group.
create temp table failures (
  side text not null, region text not null, guid text not null collate nocase, n integer not null,
  primary key (side, region, guid)) strict, without rowid;

-- name: note_failures
-- In: side. Rows of the import attached as `ledger` that failed or were not confirmed. (Counted by batch first, in storage
-- order.)
insert into temp.failures (side, region, guid, n)
  with of_batch as materialized (
    select m.batch_id, count(*) as n from ledger.memberships m join ledger.outcomes o on o.id = m.outcome_id
     where o.name in ('failed', 'unconfirmed') group by m.batch_id)
  select :side, r.name, g.guid, sum(f.n)
    from of_batch f join ledger.batches b on b.id = f.batch_id join ledger.call_groups cg on cg.id = b.call_group_id
    join ledger.groups g on g.id = cg.group_id join ledger.regions r on r.id = g.region_id
   group by r.name, g.guid collate nocase;

-- name: failures_of
-- In: side, region, guid. Out: how many failed in a group.
select n from temp.failures where side = :side and region = :region and guid = :guid;

-- name: failures_in_all
-- In: side. Out: how many failed.
select coalesce(sum(n), 0) as n from temp.failures where side = :side;

-- name: groups_after
-- In: region and guid of the group before, limit. Out: groups of either plan, by region, then GUID.
select region, guid from (
  select region, guid from (
    select region, guid from main.groups where (region, guid) > (:region, :guid) order by region, guid limit :limit)
  union
  select region, guid from (
    select region, guid from second.groups where (region, guid) > (:region, :guid) order by region, guid limit :limit))
 order by region, guid collate nocase limit :limit;

-- name: first_counters
-- In: region, guid. Out: what the first plan does in a group; nothing where it has no such group.
select coalesce(sum(a.action = 'add'), 0) as "add", coalesce(sum(a.action = 'change' and a.to_id < a.from_id), 0) as raise,
       coalesce(sum(a.action = 'change' and a.to_id > a.from_id), 0) as lower, coalesce(sum(a.action = 'remove'), 0) as remove,
       coalesce(sum(a.action = 'ban'), 0) as ban
  from main.groups g left join main.actions a on a.group_id = g.id where g.region = :region and g.guid = :guid group by g.id;

-- name: second_counters
-- In: region, guid. Out: the same of the second plan.
select coalesce(sum(a.action = 'add'), 0) as "add", coalesce(sum(a.action = 'change' and a.to_id < a.from_id), 0) as raise,
       coalesce(sum(a.action = 'change' and a.to_id > a.from_id), 0) as lower, coalesce(sum(a.action = 'remove'), 0) as remove,
       coalesce(sum(a.action = 'ban'), 0) as ban
  from second.groups g left join second.actions a on a.group_id = g.id where g.region = :region and g.guid = :guid group by g.id;
