-- Statements on the memory of syncs with a name. `done`: the ledger of an import; `planned`: the plan of a run.

-- name: take
-- In: sync (name), id. Notes that a run or import is part of the memory; changes nothing where it is already.
insert or ignore into taken (sync, id) values (:sync, :id);

-- name: taken
-- In: sync. Out: ids of the runs and imports that are part of it.
select id from taken where sync = :sync;

-- name: add_groups
-- In: sync, apps (JSON of region -> app). The groups of the import.
insert or ignore into groups (sync, app, region, guid)
select :sync, :apps ->> reg.name, reg.name, lg.guid
  from done.groups lg join done.regions reg on reg.id = lg.region_id;

-- name: open_own
-- The groups of one sync at one target.
create temp table own (
  id integer primary key, region text not null, guid text not null collate nocase, unique (region, guid));

-- name: gather_own
-- In: sync, apps.
insert into temp.own
select id, region, guid from groups where sync = :sync and app = :apps ->> region;

-- name: open_outcomes
-- The rows of the import that did something, or may have.
create temp view outcomes as
select k.id as group_id, r.uid, m.scope_id as place, o.name as outcome, b.uncertainty is not null as is_uncertain
  from done.memberships m
  join done.outcomes o on o.id = m.outcome_id and o.name in ('added', 'already_member', 'changed', 'removed', 'banned')
  join done.batches b on b.id = m.batch_id
  join done.rows r on r.id = m.row_id
  join done.groups lg on lg.id = r.group_id
  join done.regions reg on reg.id = lg.region_id
  join temp.own k on k.region = reg.name and k.guid = lg.guid;

-- name: add_made
-- In: at (ms), own. Whom the import added. With `own` it carried out a plan: members whom a call without an answer may have added
-- were added by it, and what it did goes before what was known.
insert into made (group_id, uid, place, at)
select group_id, uid, place, :at from temp.outcomes
 where outcome = 'added' or (:own and outcome = 'already_member' and is_uncertain)
    on conflict do update set place = excluded.place, at = excluded.at, back = 0 where :own;

-- name: note_changed
-- The scopes that the import gave.
update made set place = d.place from temp.outcomes d
 where made.group_id = d.group_id and made.uid = d.uid and d.outcome = 'changed';

-- name: forget_removed
-- Whom the import removed or banned.
delete from made where (group_id, uid) in (select group_id, uid from temp.outcomes where outcome in ('removed', 'banned'));

-- name: note_right
-- Members who were found as the file says have that scope, however they got it; and who is there has not left.
update made set back = 0, place = iif(a.reason = 'right', a.from_id, made.place)
  from planned.actions a join planned.groups g on g.id = a.group_id join temp.own k on k.region = g.region and k.guid = g.guid
 where made.group_id = k.id and made.uid = a.uid and a.from_id between 1 and 3
   and (back or (a.reason = 'right' and made.place <> a.from_id));

-- name: forget_gone
-- Who was neither a member nor in the file when the plan was made. With invalid rows it is not known whom the file names.
delete from made where at <= (select planned_at from planned.plan where invalid = 0) and (group_id, uid) in (
  select k.id, m.uid
    from planned.groups g
    join temp.own k on k.region = g.region and k.guid = g.guid
    join made m on m.group_id = k.id
    left join planned.actions a on a.group_id = g.id and a.uid = m.uid
   where g.listing = 'listed' and a.row_id is null and coalesce(a.from_id not between 1 and 3, 1));

-- name: bring_back
-- In: sync, uids (JSON array; null: all). Who of these has left is added by the next run.
update made set back = 1
 where group_id in (select id from groups where sync = :sync) and (:uids is null or uid in (select value from json_each(:uids)));

-- name: awaited
-- In: sync. Out: a row where a person lets someone back.
select 1 from made where back and group_id in (select id from groups where sync = :sync) limit 1;

-- name: members
-- In: sync. Out: whom it made members, by group and UID.
select k.region, k.guid, m.uid, m.place, m.at, k.app
  from groups k join made m on m.group_id = k.id
 where k.sync = :sync
 order by k.region, k.guid, k.app, m.uid;
