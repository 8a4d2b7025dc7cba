-- After the last row is in: rows that cannot all be sent, such as duplicates and contradictions, are found, and listed in
-- temp.left_out. The rows that may be duplicates are in temp.suspects (cut.ts).
-- The statements run in this order, in one transaction. `:lowest`, `:ban`: the numbers of the scopes participant and ban.
-- (`cast`: a number from JavaScript arrives as a real one.)

-- name: name_derived
-- Ids that were derived (temp.derived: row, field, source) in one spelling. SQLite's `lower` knows ASCII only, which ids are.
create temp table named as
  select d.row_id, d.field, d.source, same_word(d.source) as text, lower(iif(d.field = 'uid', r.uid, g.region_id || ' ' || g.guid)) as id
    from temp.derived d join rows r on r.id = d.row_id join groups g on g.id = r.group_id;

-- name: find_merged
-- Ids that two texts of the file have become. Both texts, each with a row: SQLite takes that of the minimum and of the maximum.
create temp table merged as
  select low.field, low.id, low.text, low.source, low.row_id, high.source as other_source, high.row_id as other_row
    from (select field, id, min(text) as text, source, row_id from temp.named group by field, id) as low
    join (select field, id, max(text) as text, source, row_id from temp.named group by field, id) as high
      on high.field = low.field and high.id = low.id
   where high.text <> low.text;

-- name: index_merged
-- For finding all their rows.
create index temp.merged_by_id on merged (field, id);

-- name: find_collisions
-- Every row of such an id, with another text of it.
create temp table collisions as
  select n.row_id, n.field, n.source,
         iif(n.text = m.text, m.other_source, m.source) as other_source,
         iif(n.text = m.text, m.other_row, m.row_id) as other_row
    from temp.named n join temp.merged m on m.field = n.field and m.id = n.id;

-- name: mark_collisions
-- They are not sent.
insert into problems (row_id, position, column_name, value, code, reason)
  select c.row_id, row_number() over (partition by c.row_id order by c.field desc) - 1, c.field, c.source, 'DERIVED_ID_COLLISION',
         '"' || c.source || '" becomes the ' || c.field || ' "' || iif(c.field = 'uid', r.uid, g.guid) || '", and so does "'
         || c.other_source || '" in row ' || o.line
         || ': nothing is sent, because they may be different ' || iif(c.field = 'uid', 'people', 'groups')
    from temp.collisions c
    join rows r on r.id = c.row_id
    join groups g on g.id = r.group_id
    join rows o on o.id = c.other_row;

-- name: forget_collided
-- They clash with no other row.
delete from temp.suspects where row_id in (select row_id from collisions);

-- name: compare_clashes
-- The same group and the same UID without regard to case (UIDs are ASCII): the highest scope stays, of equals the first.
create temp table clashes as
  select id, line, call_group_id, column_scope, action_id,
         first_value(id) over same as kept_id,
         min(action_id) over everyone <> max(action_id) over everyone as several_actions,
         min(action_id) over everyone <> max(action_id) over everyone
         or (max(column_scope) over everyone = :ban and min(column_scope) over everyone <> :ban) as contradictory,
         count(*) over everyone as times
    from (select r.id, r.line, r.call_group_id, r.group_id, r.uid, coalesce(r.scope_id, cast(:lowest as integer)) as column_scope,
                 cg.action_id
            from temp.suspects k
            join rows r on r.id = k.row_id
            join call_groups cg on cg.id = r.call_group_id)
  window same as (partition by group_id, uid collate nocase order by column_scope, id),
         everyone as (partition by group_id, uid collate nocase);

-- name: index_kept
-- For the two statements that ask for the other rows of a clash.
create index temp.clashes_by_kept on clashes (kept_id);

-- name: mark_contradictions
-- Added and banned at once, or added and removed: it is not clear what was meant, so nothing is sent.
insert into problems (row_id, position, column_name, value, code, reason)
  select c.id, 0, coalesce((select recognised ->> 'scope' from input), 'scope'), s.name, 'ADDED_AND_BANNED',
         'the same UID is both added to this group and banned from it (row '
         || (select min(o.line) from clashes o where o.kept_id = c.kept_id and (o.column_scope = :ban) <> (c.column_scope = :ban))
         || ' asks for the other): keep one of the two'
    from clashes c join scopes s on s.id = c.column_scope
   where c.contradictory and not c.several_actions
  union all
  select c.id, 0, 'action', a.name, 'SEVERAL_ACTIONS',
         'the same UID is in this group with another action (row '
         || (select min(o.line) from clashes o where o.kept_id = c.kept_id and o.action_id <> c.action_id)
         || '): keep one of the rows'
    from clashes c join actions a on a.id = c.action_id
   where c.several_actions;

-- name: mark_duplicates
-- Rows that ask for what another row asks for; that one is sent.
insert into duplicates (row_id, of_row)
  select id, kept_id from clashes
   where id <> kept_id and times > 1 and not contradictory;

-- name: forget_ends
-- Rows that ask for the same end with the last of them, so that no one is removed too early: never, where one has no end.
update rows set until = null where id in (select d.of_row from duplicates d cross join rows o on o.id = d.row_id where o.until is null);

-- name: join_ends
-- The latest end of the others.
update rows set until = max(rows.until, others.until)
  from (select d.of_row, max(o.until) as until from duplicates d cross join rows o on o.id = d.row_id group by 1) as others
 where others.of_row = rows.id;

-- name: list_left_out
-- Rows that are not sent: duplicates, contradictions and collisions.
create temp table left_out as
  select id as row_id, call_group_id from clashes where id <> kept_id or contradictory
  union
  select c.row_id, r.call_group_id from collisions c join rows r on r.id = c.row_id;

-- name: count_input
-- The rows read were counted while they were inserted.
insert into counters (region_id, name, n)
  select coalesce(r.region_id, 0), 'invalid', count(*)
    from (select distinct row_id from problems) p join rows r on r.id = p.row_id group by 1
  union all
  select r.region_id, 'duplicate', count(*) from duplicates d join rows r on r.id = d.row_id group by 1
  union all
  select r.region_id, 'skipped', count(*) from skipped s join rows r on r.id = s.row_id group by 1;
