-- Differences between a plan and one that was made later. `newer`: the file of the later one.

-- name: forget_moves
-- Drops the table of an earlier comparison.
drop table if exists temp.moves;

-- name: find_moves
-- Changes of either plan that the other does not have (`gone`, `fresh`), or has in another form (`different`). Groups are matched by name,
-- because their numbers differ.
create temp table moves as
with was as (
  select g.region, g.guid, a.uid, a.action, a.from_id, a.to_id from main.actions a join main.groups g on g.id = a.group_id
   where a.action in ('add', 'change', 'remove', 'ban')),
now as (
  select g.region, g.guid, a.uid, a.action, a.from_id, a.to_id from newer.actions a join newer.groups g on g.id = a.group_id
   where a.action in ('add', 'change', 'remove', 'ban'))
select region, guid, uid, case when now.action is null then 'gone' when was.action is null then 'fresh' else 'different' end as kind
  from was full join now using (region, guid, uid)
 where was.action is not now.action or was.from_id is not now.from_id or was.to_id is not now.to_id;

-- name: compare
-- Out: how many changes the stored plan has, moved changes by kind, and fileMoved, 1 where the two plans were made from different files.
select (select count(*) from main.actions where action in ('add', 'change', 'remove', 'ban')) as planned,
       count(*) filter (where kind = 'gone') as gone, count(*) filter (where kind = 'fresh') as fresh,
       count(*) filter (where kind = 'different') as different,
       (select p.hash <> n.hash from main.plan p, newer.plan n) as fileMoved
  from temp.moves;

-- name: moved_changes
-- Out: changes of the stored plan that a newer one no longer has, or has in another form.
select region, guid, uid from temp.moves where kind <> 'fresh';
