-- Statements on memberships that end. `:apps`: JSON, the id of the app of each region.

-- name: forget_lost
-- In: apps, by, at. Who was removed or banned by the import at `ledger` has no end, until another row names them: also one of an import that
-- was begun before.
update main.ends set until = null, by = :by, at = 0
 where at <= :at and (app, region, guid, uid) in (
   select :apps ->> reg.name, reg.name, g.guid, r.uid
     from ledger.memberships m
     join ledger.outcomes o on o.id = m.outcome_id and o.name in ('removed', 'banned')
     join ledger.rows r on r.id = m.row_id
     join ledger.groups g on g.id = r.group_id
     join ledger.regions reg on reg.id = g.region_id);

-- name: note_import
-- In: apps, by, at, all (1: also memberships without an end). The latest row for a membership decides, also one of which it is not
-- known whether it was carried out.
insert into main.ends (app, region, guid, uid, until, by, at)
select :apps ->> reg.name, reg.name, g.guid, r.uid, r.until, :by, :at
  from ledger.memberships m
  join ledger.outcomes o on o.id = m.outcome_id and o.name in ('added', 'already_member', 'changed', 'unconfirmed')
  join ledger.scopes s on s.id = m.scope_id and s.name <> 'ban'
  join ledger.rows r on r.id = m.row_id
  join ledger.groups g on g.id = r.group_id
  join ledger.regions reg on reg.id = g.region_id
  join ledger.call_groups cg on cg.id = r.call_group_id
  join ledger.actions act on act.id = cg.action_id and act.name in ('add', 'change')
  left join main.ends kept on kept.app = :apps ->> reg.name and kept.region = reg.name and kept.guid = g.guid and kept.uid = r.uid
 where :all or r.until is not null or kept.app is not null
on conflict do update set until = excluded.until, by = excluded.by, at = excluded.at where excluded.at >= ends.at;

-- name: keep_retried
-- In: apps, by. Rows that are sent again end as they did in the import at `retried`: their file has neither the time from which 90d counts, nor
-- the later end of a duplicate.
update main.ends set until = r.until
  from retried.rows r
  join retried.groups g on g.id = r.group_id
  join retried.regions reg on reg.id = g.region_id
 where ends.by = :by and r.until is not null and r.call_group_id is not null
   and ends.app = :apps ->> reg.name and ends.region = reg.name and ends.guid = g.guid and ends.uid = r.uid;

-- name: forget_open
-- Memberships without an end: no import is under way that was begun before the row that says so, and no undo puts back what it was.
delete from ends where until is null and (by, app, region, guid, uid) not in (select by, app, region, guid, uid from moved);

-- name: forget_moved
-- In: before (ms).
delete from moved where at < :before;

-- name: put_back
-- In: undone, by.
update ends set until = b.until, by = :by from puttable b
 where b.by = :undone and ends.app = b.app and ends.region = b.region and ends.guid = b.guid and ends.uid = b.uid;

-- name: count_puttable
-- In: undone. Out: ends that an undo of it puts back.
select count(*) as ends from puttable where by = :undone;

-- name: has_ends
-- Whether a row of the import at `ledger` ends.
select 1 from ledger.input where ends;

-- name: ending
-- In: apps (null: any), before (ms), limit, and until, app, region, guid and uid of the last one of the page before. Out: memberships that end
-- before then, the first to end first; of the same time in the order of the index: thousands may end with a season.
select app, region, guid, uid, until, by from ends
 where until <= :before and (:apps is null or app = :apps ->> region) and (until, app, region, guid, uid) > (:until, :app, :region, :guid, :uid)
 order by until, app, region, guid, uid limit :limit;

-- name: has_any
-- Whether any membership ends.
select 1 from main.ends limit 1;
