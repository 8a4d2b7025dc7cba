-- Statements on who is banned from the groups of an import, by name.

-- name: open_to_ask
-- Groups to which pending rows add users, and whose banned users are not known. The rows of a silent import are of every group.
create temp view if not exists to_ask as
select g.id, g.guid, g.region_id from groups g
 where g.guid <> '' and g.banned_users = 'not_asked' and g.refused_code is null
   and exists (select 1 from call_groups cg join batches b on b.call_group_id = cg.id join actions a on a.id = cg.action_id
                where cg.group_id in (g.id, (select e.id from groups e where e.region_id = g.region_id and e.guid = '' collate nocase))
                  and a.name = 'add' and b.state in ('pending', 'waiting') and b.size > b.bans);

-- name: groups_to_ask
-- In: region, after (group), limit. Out: the next of these groups.
select id, guid from temp.to_ask where id > :after and region_id = :region order by id limit :limit;

-- name: count_to_ask
-- In: region. Counts the groups of a region that have been asked about, and all that must be.
insert into counters (region_id, name, n)
  select :region, 'bansToAsk', count(*) + coalesce(
    (select n from counters where region_id = :region and name = 'bansAsked'), 0)
    from temp.to_ask where region_id = :region
  on conflict (region_id, name) do update set n = excluded.n;

-- name: count_asked
-- In: group, which was asked about.
insert into counters (region_id, name, n) select region_id, 'bansAsked', 1 from groups where id = :group
  on conflict (region_id, name) do update set n = n + 1;

-- name: note
-- In: group. Its banned users are known.
update groups set banned_users = 'known' where id = :group;

-- name: rows_of_banned
-- In: group, add (action), ban (scope), uids (JSON array, in lower case). Out: rows that would add one of these users.
select b.id as batch, b.region_id, m.row_id
  from call_groups cg join batches b on b.call_group_id = cg.id join memberships m on m.batch_id = b.id join rows r on r.id = m.row_id
 where cg.group_id in (select :group union all
                       select e.id from groups g join groups e on e.region_id = g.region_id and e.guid = '' collate nocase where g.id = :group)
   and r.group_id = :group and cg.action_id = :add and b.state in ('pending', 'waiting', 'later') and m.scope_id <> :ban
   and lower(r.uid) in (select value from json_each(:uids))
 order by b.id, m.row_id;

-- name: cut_off
-- In: batch, size, at (ms). A batch for rows that are not sent.
insert into batches (call_group_id, region_id, turn, state, size, bans, parent, calls, finished_at)
  select call_group_id, region_id, turn, 'done', :size, 0, id, calls, :at from batches where id = :batch;

-- name: shrink
-- In: batch, size, at (ms). Without any row it is replaced.
update batches set size = size - :size, state = iif(size = :size, 'replaced', state), finished_at = iif(size = :size, :at, null)
 where id = :batch;
