-- Writes to a plan's file while its groups are listed, and compares it with a later one. `desired`: the staged file; `undone`: an import's
-- ledger; `newer`: the file of a later plan.

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

-- name: first_invalid
-- In: noted (JSON array of codes). Out: the first rows of the staged file that are invalid for another reason, each with its first one;
-- `all`: how many there are.
select r.line, p.column_name as "column", p.reason, count(*) over () as "all"
  from desired.problems p join desired.rows r on r.id = p.row_id
 where p.position = 0 and p.code not in (select value from json_each(:noted))
 order by p.row_id limit 3;

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

-- name: open_done
-- Rows of the import with which something may have been done. `was_there`: found there, which an uncertain call may have brought about.
create temp view done as
select r.group_id, r.uid, r.line, r.original, m.scope_id, m.code, act.name as action, o.name as outcome, b.uncertainty,
       o.name = 'already_member' or (o.name = 'banned' and coalesce(m.code, '') <> '') as was_there
  from undone.memberships m
  join undone.outcomes o on o.id = m.outcome_id
       and o.name in ('added', 'banned', 'changed', 'removed', 'unbanned', 'unconfirmed', 'already_member')
  join undone.batches b on b.id = m.batch_id
  join undone.call_groups cg on cg.id = b.call_group_id
  join undone.actions act on act.id = cg.action_id
  join undone.rows r on r.id = m.row_id;

-- name: set_undone_source
-- In: file, hash, size. As set_source, for an undo; the count comes from the ledger of the import.
insert into plan (id, file, hash, size, rows, invalid, fields)
select 1, :file, :hash, :size, (select count(*) from undone.rows), 0, '[]';

-- name: set_undone_groups
-- The groups in which the import may have done something. Users who were there already may owe that to an uncertain call.
insert into groups (id, region, guid, wanted)
select g.id, reg.name, g.guid, count(*)
  from temp.done d join undone.groups g on g.id = d.group_id join undone.regions reg on reg.id = g.region_id
 where d.uncertainty is not null or not d.was_there
 group by g.id;

-- name: count_members
-- Notes how many members the listed groups have, the banned not counted.
update groups set members = iif(members_known, (select count(*) from members where group_id = groups.id and banned = 0), 0);

-- name: unknown_scopes
-- Out: for each group that has one, a member with a scope that nobody knows.
select group_id as id, uid, scope from members where place = 9 group by group_id;

-- name: groups_to_create
-- In: ban. Out: missing groups to which rows would add users, with their numbers in the staged file.
select id, guid from groups
 where listing = 'not_found'
   and id in (select group_id from desired.rows where call_group_id is not null and scope_id <> :ban)
 order by id;

-- name: create_group
-- In: group, creates (JSON). It will be created: it has no owner and no banned users yet.
update groups set creates = :creates, facts = json_object('owner', ''), bans_known = 1 where id = :group;

-- name: cannot_create
-- In: group, code, message. Notes the reason why a missing group cannot be created.
update groups set code = :code, message = :message where id = :group;

-- name: set_creating
-- In: creating (JSON). Notes the users and groups that may be created, and those known to be missing.
update plan set creating = :creating;

-- name: forget_findings
-- Deletes what the guards said.
delete from findings;

-- name: add_finding
-- In: guard, region, guid (null: all), value, limit, what, remedy. Adds what a guard says.
insert into findings (guard, region, guid, value, "limit", what, remedy)
values (:guard, :region, :guid, :value, :limit, :what, :remedy);

-- name: add_newcomer
-- In: region, uid. The owner of a new group, who may not exist either.
insert or ignore into users (region, uid)
select :region, :uid where not exists (
  select 1 from groups g join members l on l.group_id = g.id and l.uid = :uid where g.region = :region);

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
       total(kind = 'gone') as gone, total(kind = 'fresh') as fresh,
       total(kind = 'different') as different,
       (select p.hash <> n.hash from main.plan p, newer.plan n) as fileMoved
  from temp.moves;

-- name: moved_changes
-- Out: users of changes that the two plans do not have in common.
select region, guid, uid from temp.moves;
