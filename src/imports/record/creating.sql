-- Statements on what an import creates, by name. Batches that wait for it are `waiting`. Batches that check or create
-- something are ordinary ones that `creations.batch_id` names.

-- name: open_members
-- Rows that are sent, by their groups. Those of a silent import, whose batches are of every group, have an index for it.
create temp view if not exists members as
  select cg.group_id, m.row_id from call_groups cg join batches b on b.call_group_id = cg.id join memberships m on m.batch_id = b.id
  union all
  select r.group_id, r.id from rows r where r.call_group_id is not null and exists (select 1 from groups where guid = '');

-- name: add_groups
-- In: add (action). Adds a check for every group that gets members now, once. Groups of rows that are sent later are checked then.
insert or ignore into creations (kind, region_id, name, group_id, step)
  select 'group', g.region_id, lower(g.guid), g.id, 'look' from groups g
   where not exists (select 1 from creations c where c.kind = 'group' and c.region_id = g.region_id and c.name = lower(g.guid))
     and (exists (select 1 from call_groups cg join batches b on b.call_group_id = cg.id
                   where cg.group_id = g.id and cg.action_id = :add and b.state = 'pending' and b.size > b.bans and g.guid <> '')
          or g.id in (select r.group_id from rows r join batches b on b.call_group_id = r.call_group_id
                        join memberships m on m.batch_id = b.id and m.row_id = r.id
                       where b.state = 'pending' and exists (select 1 from groups where guid = '')));

-- name: every_group
-- Out: something in a silent import, whose batches are of every group.
select 1 as yes from groups where guid = '' limit 1;

-- name: first_joined
-- In: group. Out: when the first of its members joined, in seconds since 1970; null: no row says it.
select min(joined_at) as at from rows where group_id = :group;

-- name: park_all
-- Every pending batch waits until its group exists.
update batches set state = 'waiting'
 where state = 'pending' and not exists (select 1 from creations c where c.batch_id = batches.id);

-- name: add_user
-- In: region, name (UID in lower case), row. Adds a user whom the service does not know; one that is listed already stays.
insert or ignore into creations (kind, region_id, name, row_id, step, missing) values ('user', :region, :name, :row, 'create', 1);

-- name: user
-- In: region, name. Out: what became of a user.
select outcome, code, message, alone from creations where kind = 'user' and region_id = :region and name = :name;

-- name: of_batch
-- In: batch. Out: what it looks for, creates or reactivates.
select id, kind, name, step, body, alone from creations where batch_id = :batch order by id;

-- name: forget_batches
-- Creations that are not done have no batch in flight any more.
update creations set batch_id = null where outcome is null and batch_id is not null;

-- name: open
-- In: step, kind. Out: creations at this step: to look for, to create or to reactivate. (tried, 1: its call with others was refused.)
select id, region_id, name, group_id, row_id, alone, coalesce(step = 'create' and body ->> 'what' = 'import', 0) as tried from creations
 where step = :step and kind = :kind and outcome is null order by region_id, id;

-- name: count_missing
-- In: kind. Out: how many the service did not know, and how many of them are not created yet.
select count(*) as n, coalesce(sum(outcome is null), 0) as open from creations where kind = :kind and missing = 1;

-- name: count_groups
-- Out: groups of the input.
select count(*) as n from groups where guid <> '';

-- name: count_users
-- Out: users of the input, by the hashes of their UIDs.
select count(distinct uid_hash) as n from rows where call_group_id is not null;

-- name: add_creating_batch
-- In: row of a user, or group; region. A batch without rows, before all others. It needs a call group, any one of the group or row.
insert into batches (call_group_id, region_id, turn, size, bans)
  select coalesce(
      (select call_group_id from rows where id = :row),
      (select min(id) from call_groups where group_id in (:group, (
        select e.id from groups g join groups e on e.region_id = g.region_id and e.guid = '' where g.id = :group)))),
    :region, -2, 0, 0;

-- name: first_parked
-- In: group, add (action), acting (the user who creates the group, or ''). Out: the batch whose rows are sent with the new group.
select b.id from call_groups cg join batches b on b.call_group_id = cg.id
 where cg.group_id = :group and cg.action_id = :add and cg.on_behalf_of = :acting collate nocase and b.state = 'waiting'
 order by b.turn, b.id limit 1;

-- name: acting_user
-- In: group, add (action). Out: the only user on whose behalf rows are added to it; null where there is none, or there are several.
select iif(count(distinct lower(on_behalf_of)) = 1, min(on_behalf_of), null) as uid
  from call_groups where group_id = :group and action_id = :add and on_behalf_of <> '';

-- name: unpark
-- In: batch. It may be sent.
update batches set state = 'pending' where id = :batch and state = 'waiting';

-- name: begin
-- In: id, batch, body. Its batch may be sent.
update creations set batch_id = :batch, body = :body where id = :id;

-- name: set_step
-- In: id, step, alone (1: a group without members; a user without a name, who can only be reactivated), missing (1: the service does not know it).
update creations set step = :step, outcome = null, alone = max(alone, :alone), missing = max(missing, :missing), batch_id = null where id = :id;

-- name: finish
-- In: id, outcome, code, message, at. It is done.
update creations set step = 'done', outcome = :outcome, code = :code, message = :message, at = :at where id = :id;

-- name: rows_of_group
-- In: group. Out: what the input had for its rows, in its order.
select iif(r.original = '', f.original, r.original) as original
  from temp.members m join rows r on r.id = m.row_id
  left join parts p on p.row_id = r.id left join rows f on f.id = p.first_row
 where m.group_id = :group order by m.row_id limit 1000;

-- name: original
-- In: row. Out: what the input had for it, and its UID as it was written.
select iif(r.original = '', f.original, r.original) as original, r.uid from rows r
  left join parts p on p.row_id = r.id left join rows f on f.id = p.first_row where r.id = :row;

-- name: row_of_user_in_group
-- In: group, uid. Out: a row of this user there.
select m.row_id as id from temp.members m join rows r on r.id = m.row_id
 where m.group_id = :group and r.uid = :uid collate nocase order by m.row_id limit 1;

-- name: any_row_of_group
-- In: group. Out: a row of it.
select row_id as id from temp.members where group_id = :group limit 1;

-- name: refused_groups
-- Out: groups that could not be created and have rows that wait.
select c.id, c.group_id, c.code, c.message, c.body, c.region_id from creations c join groups g on g.id = c.group_id
 where c.kind = 'group' and c.outcome = 'refused' and g.refused_code is null;

-- name: unpark_group
-- In: group. Its rows do not wait any more.
update batches set state = 'pending'
 where state = 'waiting' and call_group_id in (select id from call_groups where group_id = :group);

-- name: existing_users
-- Out: users who were not found but exist: deactivated, or created by someone else at that moment.
select id from creations where kind = 'user' and outcome = 'existing';

-- name: parked
-- Out: how many batches wait.
select count(*) as n from batches where state = 'waiting';

-- name: unpark_unsent
-- Batches that waited for their groups may be sent.
update batches set state = 'pending' where state = 'waiting' and users <> 'unknown';

-- name: parked_rows
-- Out: rows that wait for their users, by call group and in the order of the input.
select b.call_group_id, b.region_id, b.id as batch, b.uncertainty, b.calls, b.http_status, m.row_id, m.scope_id, lower(r.uid) as name
  from batches b join memberships m on m.batch_id = b.id join rows r on r.id = m.row_id
 where b.state = 'waiting' and b.users = 'unknown' order by b.call_group_id, m.row_id;

-- name: add_again
-- In: call_group, region, state, size, bans, uncertainty, calls, http_status, at. Adds a batch for rows whose users are settled.
insert into batches (call_group_id, region_id, turn, state, size, bans, users, uncertainty, calls, http_status, finished_at)
  values (:call_group, :region, -1, :state, :size, :bans, 'settled', :uncertainty, :calls, :http_status, :at);

-- name: close_parked
-- In: state (replaced: their rows are in other batches; done), at (ms). Ends the batches that wait for their users.
update batches set state = :state, finished_at = :at where state = 'waiting' and users = 'unknown';

-- name: park
-- In: batch, users (null: as they are). It waits until every group is settled, or for its users.
update batches set state = 'waiting', users = coalesce(:users, users) where id = :batch;

-- name: give_up_parked
-- In: failed (outcome). Rows that wait for their users fail with what the service said about them.
update memberships set outcome_id = :failed
 where outcome_id is null and code is not null
   and batch_id in (select id from batches where state = 'waiting' and users = 'unknown');

-- name: count_parked
-- Out: rows that wait for their users, by region.
select b.region_id as region, sum(b.size) as n from batches b where b.state = 'waiting' and b.users = 'unknown' group by 1;
