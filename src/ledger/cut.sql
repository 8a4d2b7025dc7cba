-- Cutting: after the last row is in, duplicates and contradictions are found and the rest is cut into batches.
-- The statements run in this order, in one transaction. (`cast`: a number from JavaScript arrives as a real one.)

-- name: sort_rows
-- One sort serves both: rows of one UID come to stand together, and rows of one lane do.
create index rows_sorted on rows (group_id, lane_id, uid_hash, scope_id) where lane_id is not null;

-- name: find_clashes
-- Keys that occur more than once. A group with several acting users has several lanes, so it is compared across them.
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
  select id, line, column_scope,
         first_value(id) over same as kept_id,
         first_value(line) over same as kept_line,
         max(column_scope) over everyone as lowest,
         min(column_scope) over everyone as highest,
         count(*) over everyone as times
    from (select r.id, r.line, r.group_id, r.uid, r.scope_id as column_scope
            from clash_keys k
            join rows r on r.group_id = k.group_id and r.uid_hash = k.uid_hash
           where r.lane_id is not null)
  window same as (partition by group_id, uid collate nocase order by column_scope, id),
         everyone as (partition by group_id, uid collate nocase);

-- name: index_kept
create index temp.clashes_by_kept on clashes (kept_id);

-- name: mark_contradictions
-- Added and banned at once: nobody can tell what was meant, so nothing is sent.
insert into problems (row_id, position, column_name, value, code, reason)
  select c.id, 0, 'scope', s.name, 'ADDED_AND_BANNED',
         'the same UID is to be added to this group and banned from it (row '
         || (select min(o.line) from clashes o where o.kept_id = c.kept_id and (o.column_scope = 4) <> (c.column_scope = 4))
         || ' asks for the other): keep one of the two'
    from clashes c join scopes s on s.id = c.column_scope
   where c.lowest = 4 and c.highest < 4;

-- name: mark_duplicates
insert into duplicates (row_id, of_row)
  select id, kept_id from clashes
   where id <> kept_id and times > 1 and not (lowest = 4 and highest < 4);

-- name: leave_out
update rows set lane_id = null
 where id in (select row_id from duplicates union all select id from clashes where lowest = 4 and highest < 4);

-- name: number_rows
-- Every row's place in the sorted order is its rowid here: its place in its lane, and with it its batch, becomes a
-- subtraction. (row_number() over the same rows takes three times as long.)
create temp table sorted as
  select id as row_id, lane_id, scope_id from rows indexed by rows_sorted
   where lane_id is not null order by group_id, lane_id, uid_hash, scope_id;

-- name: number_lanes
create temp table starts as
  select lane_id, 1 + sum(size) over before - size as first_place, 1 + sum(batches) over before - batches as first_batch
    from (select group_id, lane_id, count(*) as size,
                 (count(*) + cast(:size as integer) - 1) / cast(:size as integer) as batches
            from rows indexed by rows_sorted where lane_id is not null group by group_id, lane_id)
  window before as (order by group_id, lane_id);

-- name: index_starts
create unique index temp.starts_by_lane on starts (lane_id);

-- name: fill_batches
insert into memberships (batch_id, row_id, scope_id)
  select f.first_batch + (s.rowid - f.first_place) / cast(:size as integer), s.row_id, s.scope_id
    from sorted s join starts f on f.lane_id = s.lane_id;

-- name: list_batches
insert into batches (id, lane_id, region_id, turn, size, bans)
  select m.batch_id, l.id, g.region_id, m.batch_id - f.first_batch, m.size, m.bans
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
