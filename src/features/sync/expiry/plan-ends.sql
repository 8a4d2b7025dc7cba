-- Writes to the ends of memberships what a run of a sync says of them. `planned`: its plan; `desired`: its staged file. `:apps`: JSON,
-- the id of the app of each region.

-- name: note_plan
-- In: apps, by, at, all (1: also memberships without an end). The file names these members, with or without an end.
insert into main.ends (app, region, guid, uid, until, by, at)
select :apps ->> g.region, g.region, g.guid, a.uid, r.until, :by, :at
  from planned.actions a
  join planned.groups g on g.id = a.group_id
  join desired.rows r on r.id = a.row_id
  join desired.scopes s on s.id = r.scope_id and s.name <> 'ban'
  left join main.ends kept on kept.app = :apps ->> g.region and kept.region = g.region and kept.guid = g.guid and kept.uid = a.uid
 where a.action in ('keep', 'add', 'change') and (:all or r.until is not null or kept.app is not null)
on conflict do update set until = excluded.until, by = excluded.by, at = excluded.at where excluded.at >= ends.at;

-- name: forget_gone
-- In: apps. Ends that an expiry found to be over, of those who were not in the group any more.
delete from main.ends
 where until <= (select planned_at from planned.plan) and (app, region, guid, uid) in (
   select :apps ->> g.region, g.region, g.guid, r.uid
     from desired.rows r
     join planned.groups g on g.id = r.group_id and g.listing in ('listed', 'not_found')
     left join planned.members l on l.group_id = g.id and l.uid = r.uid and l.banned = 0
    where l.uid is null);
