-- Writes to a plan's file while its groups are listed. `desired`: the staged file; `undone`: an import's ledger.

-- name: set_source
-- In: file, hash, size. The counts and notes come from the staged file; rows that are left out ask for nothing.
insert into plan (id, file, hash, size, rows, invalid, fields, notes)
select 1, :file, :hash, :size,
       (select count(*) from desired.rows) - (select count(*) from desired.skipped),
       (select count(distinct row_id) from desired.problems),
       (select json_group_array(key) from json_each((select recognised from desired.input))),
       (select notes from desired.input);

-- name: not_found
-- In: code. Out: rows of the staged file that are invalid for that reason, and how many values they have.
select count(distinct row_id) as rows, count(distinct lower(trim(value))) as keys from desired.problems where code = :code;

-- name: set_notes
-- In: notes.
update plan set notes = :notes;

-- name: set_groups
-- The groups for which the file has members. A group that only invalid rows name is not one of them.
insert into groups (id, region, guid, wanted)
select g.id, reg.name, g.guid, count(*)
  from desired.rows r join desired.groups g on g.id = r.group_id join desired.regions reg on reg.id = g.region_id
 where r.call_group_id is not null
 group by g.id;

-- name: set_undone_source
-- In: file, hash, size. The same for an undo; the count comes from the ledger of the import.
insert into plan (id, file, hash, size, rows, invalid, fields)
select 1, :file, :hash, :size, (select count(*) from undone.rows), 0, '[]';

-- name: set_undone_groups
-- The groups in which the import may have done something. Users who were there already may owe that to an uncertain call.
insert into groups (id, region, guid, wanted)
select g.id, reg.name, g.guid, count(*)
  from undone.memberships m
  join undone.outcomes o on o.id = m.outcome_id
       and o.name in ('added', 'banned', 'changed', 'removed', 'unbanned', 'unconfirmed', 'already_member')
  join undone.batches b on b.id = m.batch_id
  join undone.rows r on r.id = m.row_id
  join undone.groups g on g.id = r.group_id
  join undone.regions reg on reg.id = g.region_id
 where b.uncertainty is not null or not (o.name = 'already_member' or (o.name = 'banned' and coalesce(m.code, '') <> ''))
 group by g.id;

-- name: groups_to_list
-- Out: groups whose members have not been listed yet.
select region, guid from groups where listing = 'pending' order by id;

-- name: group_id
-- In: region, guid. Out: its id; nothing where there is no such group.
select id from groups where region = :region and guid = :guid;

-- name: forget_live
-- In: group. Deletes what was listed of it.
delete from live where group_id = :group;

-- name: add_live
-- In: group, uid, scope, banned, joined_at. Pages may overlap: of two entries for a user, the last one counts.
insert or replace into live (group_id, uid, scope_id, banned, joined_at)
values (:group, :uid, :scope, :banned, :joined_at);

-- name: close_listing
-- In: group, listing (listed, not_found, failed), code, message. Notes the end of the listing of its members.
update groups set listing = :listing, code = :code, message = :message, bans_known = 0 where id = :group;

-- name: add_banned
-- In: group, uid. Whether the list of members has the banned too is not known, so that both must do. (3: participant, as
-- the list does not say.)
insert into live (group_id, uid, scope_id, banned) values (:group, :uid, 3, 1)
  on conflict (group_id, uid) do update set banned = 1;

-- name: close_bans
-- In: group. The list of its banned users is complete.
update groups set bans_known = 1 where id = :group;

-- name: count_members
-- In: group. Notes how many members it has, the banned not counted.
update groups set members = (select count(*) from live where group_id = :group and banned = 0) where id = :group;

-- name: forget_actions_of
-- In: group. Deletes its actions.
delete from actions where group_id = :group;

-- name: groups_to_create
-- In: ban. Out: missing groups to which rows would add users. `desired`: the staged file.
select id, region, guid from groups
 where listing = 'not_found'
   and id in (select group_id from desired.rows where call_group_id is not null and scope_id <> :ban)
 order by id;

-- name: create_group
-- In: group, creates (JSON). It will be created: it has no owner and no banned users yet.
update groups set creates = :creates, owner = '', bans_known = 1 where id = :group;

-- name: cannot_create
-- In: group, code, message. Notes the reason why a missing group cannot be created.
update groups set code = :code, message = :message where id = :group;

-- name: add_newcomer
-- In: region, uid. The owner of a new group, who may not exist either.
insert or ignore into newcomers (region, uid)
select :region, :uid where not exists (
  select 1 from groups g join live l on l.group_id = g.id and l.uid = :uid where g.region = :region);

-- name: newcomers
-- Out: users who would be added and may not exist.
select region, uid from newcomers order by region, uid;

-- name: set_creating
-- In: creating (JSON). Notes the users and groups that may be created, and those known to be missing.
update plan set creating = :creating;

-- name: set_owner
-- In: group, owner (UID, empty: none).
update groups set owner = :owner where id = :group;

-- name: forget_findings
-- Deletes what the guards said.
delete from findings;

-- name: add_finding
-- In: guard, region, guid (null: all), value, allowed, sentence. Adds what a guard says.
insert into findings (guard, region, guid, value, allowed, sentence)
values (:guard, :region, :guid, :value, :allowed, :sentence);
