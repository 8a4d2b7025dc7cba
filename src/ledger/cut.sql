-- Cutting: after the last row is in, duplicates and contradictions are found and the rest is cut into batches.
-- The statements run in this order, in one transaction. (`cast`: a number from JavaScript arrives as a real one.)

-- name: sort_rows
-- One sort serves both: rows of one UID come to stand together, and rows of one lane do.
create index rows_sorted on rows (group_id, lane_id, uid_hash, scope_id) where lane_id is not null;

-- name: find_clashes
-- Keys that occur more than once. A group with several acting users or actions has several lanes, so it is compared
-- across them.
create temp table clash_keys as
  select group_id, uid_hash from rows where lane_id is not null
   group by group_id, lane_id, uid_hash having count(*) > 1
  union
  select group_id, uid_hash from rows
   where lane_id is not null
     and group_id in (select group_id from lanes group by group_id having count(*) > 1)
   group by group_id, uid_hash having count(*) > 1;

-- name: index_clashes
create unique index temp.clash_keys_unique on clash_keys (group_id, uid_hash);

-- name: compare_clashes
-- The same group and the same UID without regard to case (UIDs are ASCII): the highest scope stays, of equals the first.
create temp table clashes as
  select id, line, column_scope, action_id,
         first_value(id) over same as kept_id,
         min(action_id) over everyone <> max(action_id) over everyone as several_actions,
         min(action_id) over everyone <> max(action_id) over everyone
         or (max(column_scope) over everyone = 4 and min(column_scope) over everyone < 4) as contradictory,
         count(*) over everyone as times
    from (select r.id, r.line, r.group_id, r.uid, coalesce(r.scope_id, 3) as column_scope, l.action_id
            from clash_keys k
            join rows r on r.group_id = k.group_id and r.uid_hash = k.uid_hash
            join lanes l on l.id = r.lane_id)
  window same as (partition by group_id, uid collate nocase order by column_scope, id),
         everyone as (partition by group_id, uid collate nocase);

-- name: index_kept
create index temp.clashes_by_kept on clashes (kept_id);

-- name: mark_contradictions
-- Added and banned at once, or added and removed: nobody can tell what was meant, so nothing is sent.
insert into problems (row_id, position, column_name, value, code, reason)
  select c.id, 0, 'scope', s.name, 'ADDED_AND_BANNED',
         'the same UID is to be added to this group and banned from it (row '
         || (select min(o.line) from clashes o where o.kept_id = c.kept_id and (o.column_scope = 4) <> (c.column_scope = 4))
         || ' asks for the other): keep one of the two'
    from clashes c join scopes s on s.id = c.column_scope
   where c.contradictory and not c.several_actions
  union all
  select c.id, 0, 'action', a.name, 'SEVERAL_ACTIONS',
         'the same UID stands in this group with another action (row '
         || (select min(o.line) from clashes o where o.kept_id = c.kept_id and o.action_id <> c.action_id)
         || '): keep one of the rows'
    from clashes c join actions a on a.id = c.action_id
   where c.several_actions;

-- name: mark_duplicates
insert into duplicates (row_id, of_row)
  select id, kept_id from clashes
   where id <> kept_id and times > 1 and not contradictory;

-- name: leave_out
update rows set lane_id = null
 where id in (select row_id from duplicates union all select id from clashes where contradictory);

-- name: number_rows
-- Every row's place in the sorted order is its rowid here: its place in its lane, and with it its batch, becomes a
-- subtraction. (row_number() over the same rows takes three times as long.)
create temp table sorted as
  select id as row_id, lane_id, scope_id from rows indexed by rows_sorted
   where lane_id is not null order by group_id, lane_id, uid_hash, scope_id;

-- name: number_lanes
-- A call adds many, and changes or removes one.
create temp table starts as
  select lane_id, batch_size, edits, 1 + sum(size) over before - size as first_place,
         1 + sum((size + batch_size - 1) / batch_size) over before - (size + batch_size - 1) / batch_size as first_batch
    from (select s.*, l.action_id <> 1 as edits, case l.action_id when 1 then cast(:size as integer) else 1 end as batch_size
            from (select group_id, lane_id, count(*) as size
                    from rows indexed by rows_sorted where lane_id is not null group by group_id, lane_id) as s
            join lanes l on l.id = s.lane_id)
  window before as (order by group_id, lane_id);

-- name: index_starts
create unique index temp.starts_by_lane on starts (lane_id);

-- name: fill_batches
insert into memberships (batch_id, row_id, scope_id)
  select f.first_batch + (s.rowid - f.first_place) / f.batch_size, s.row_id, coalesce(s.scope_id, 3)
    from sorted s join starts f on f.lane_id = s.lane_id;

-- name: list_batches
-- Edits go first: in a group that is full, removals make room for those who are to be added.
insert into batches (id, lane_id, region_id, turn, size, bans)
  select m.batch_id, l.id, g.region_id, case when f.edits then -1 else m.batch_id - f.first_batch end, m.size, m.bans
    from (select batch_id, count(*) as size, sum(scope_id = 4) as bans, min(row_id) as any_row
            from memberships group by batch_id) as m
    join rows r on r.id = m.any_row
    join lanes l on l.id = r.lane_id
    join starts f on f.lane_id = l.id
    join groups g on g.id = l.group_id;

-- name: forget_sorting
drop index rows_sorted;

-- name: find_batch_of_row
create unique index memberships_by_row on memberships (row_id);

-- name: count_input
-- The tallies of rows read are there since inserting.
insert into tallies (region_id, name, n)
  select coalesce(r.region_id, 0), 'invalid', count(*)
    from (select distinct row_id from problems) p join rows r on r.id = p.row_id group by 1
  union all
  select r.region_id, 'duplicate', count(*) from duplicates d join rows r on r.id = d.row_id group by 1;
