-- Statements on an import's ledger that leave out rows which would fail. Its check is attached as `checked`, and only read.
-- Between them, `cutAgain` (stage/cut.ts) takes the rows out of their batches.

-- name: find_failing
-- Rows that would fail and are still to be sent.
create temp table left_out as
  select r.id as row_id, r.call_group_id, r.region_id, v.code
    from checked.verdicts v join rows r on r.id = v.row_id where v.verdict = 'fail' and r.call_group_id is not null;

-- name: codes
-- Out: why they would fail, with how many rows.
select code, count(*) as n from temp.left_out group by code;

-- name: skip
-- In: code, message. They have an outcome now.
insert into skipped (row_id, code, message) select row_id, 'LEFT_OUT', :message from temp.left_out where code = :code;

-- name: count_skipped
-- The counters have them,
insert into counters (region_id, name, n) select region_id, 'skipped', count(*) from temp.left_out where true group by 1
  on conflict (region_id, name) do update set n = n + excluded.n;

-- name: forget_messages
-- and they leave no message in a group.
delete from counters where name in ('messages', 'messageGroups');

-- name: work_left
-- In: add (action), size (UIDs in one call), ban (scope). Out: what sending all other rows takes, by region.
with failing as (
  select r.call_group_id as id, count(*) as n, sum(r.scope_id is :ban) as bans
    from checked.verdicts v join rows r on r.id = v.row_id where v.verdict = 'fail' and r.call_group_id is not null group by 1),
going as (
  select cg.group_id, b.region_id, cg.action_id = :add as adds, sum(b.size) - coalesce(f.n, 0) as n, sum(b.bans) - coalesce(f.bans, 0) as bans
    from batches b join call_groups cg on cg.id = b.call_group_id left join failing f on f.id = cg.id group by cg.id)
select r.name as region, sum(n) as rows, count(distinct iif(adds and n > bans, group_id, null)) as groups,
       sum(iif(adds, n - bans, 0)) as messages, sum(iif(adds, (n + cast(:size as integer) - 1) / cast(:size as integer), n)) as calls
  from going join regions r on r.id = going.region_id group by region_id;
