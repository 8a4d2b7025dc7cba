-- Differences between a plan and one that was made later. `newer`: the file of the later one.

-- name: forget_moves
-- Drops the table of an earlier comparison.
drop table if exists temp.moves;

-- name: find_moves
-- Changes of either plan that the other does not have, or has in another form. Groups are matched by name: their numbers differ.
create temp table moves as
with was as (
  select a.*, g.region, g.guid, n.id as other from actions a join groups g on g.id = a.group_id
    left join newer.groups n on n.region = g.region and n.guid = g.guid
   where a.action in ('add', 'change', 'remove', 'ban')),
now as (
  select a.*, g.region, g.guid, w.id as other from newer.actions a join newer.groups g on g.id = a.group_id
    left join main.groups w on w.region = g.region and w.guid = g.guid
   where a.action in ('add', 'change', 'remove', 'ban'))
select w.region, w.guid, w.uid, w.action as was_action, w.from_id as was_from, w.to_id as was_to,
       coalesce(n.action, '') as action, coalesce(n.from_id, 0) as from_id, coalesce(n.to_id, 0) as to_id
  from was w left join newer.actions n on n.group_id = w.other and n.uid = w.uid
 where n.action is null or n.action <> w.action or n.from_id <> w.from_id or n.to_id <> w.to_id
union all
select n.region, n.guid, n.uid, coalesce(a.action, ''), coalesce(a.from_id, 0), coalesce(a.to_id, 0),
       n.action, n.from_id, n.to_id
  from now n left join main.actions a on a.group_id = n.other and a.uid = n.uid
 where a.action is null or a.action not in ('add', 'change', 'remove', 'ban');

-- name: count_moves
-- Out: moved changes by kind.
select sum(was_action in ('add', 'change', 'remove', 'ban') and action not in ('add', 'change', 'remove', 'ban')) as gone,
       sum(was_action not in ('add', 'change', 'remove', 'ban')) as fresh,
       sum(was_action in ('add', 'change', 'remove', 'ban') and action in ('add', 'change', 'remove', 'ban')) as other
  from temp.moves;

-- name: moved_changes
-- Out: changes of the stored plan that a newer one no longer has, or has in another form.
select region, guid, uid from temp.moves where was_action in ('add', 'change', 'remove', 'ban');

-- name: count_changes
-- Out: how many changes the stored plan has.
select count(*) as n from actions where action in ('add', 'change', 'remove', 'ban');

-- name: compare_sources
-- Out: moved, 1 where the two plans were made from different files.
select p.hash <> n.hash as moved from main.plan p, newer.plan n;
