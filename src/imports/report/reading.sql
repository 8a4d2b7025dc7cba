-- Queries of reports on an import's file. The connection may be one that only reads.

-- name: report_rows
-- Out: rows in the order of the input, with numbers for the words. chosen-rows.ts replaces the marks, and takes the columns by their place.
select r.id, r.line, coalesce(f.original, r.original),
       /* outcome */ null, /* code */ null,
       case when p.row_id is not null then
              (select group_concat(q.column_name || ': ' || q.reason, '; ' order by q.position) from problems q where q.row_id = r.id)
            when d.row_id is not null then
              (select 'the same membership is in row ' || kept.line || coalesce(' (' || kp.value || ')', '') || coalesce(', which asks for ' || s.name, '')
                 from rows kept left join scopes s on s.id = kept.scope_id left join parts kp on kp.row_id = kept.id where kept.id = d.of_row)
            when k.row_id is not null then k.message
            else m.message end,
       r.region_id, r.group_id, i.guid, r.uid, coalesce(r.scope_id, i.scope), m.batch_id, t.value
  from rows r
  left join parts t on t.row_id = r.id
  left join rows f on f.id = t.first_row
  left join problems p on p.row_id = r.id and p.position = 0
  left join duplicates d on d.row_id = r.id
  left join skipped k on k.row_id = r.id
  left join memberships m on m.row_id = r.id
  left join invalid_rows i on i.row_id = r.id
 where /* chosen */ true
 order by r.id;

-- name: group_of_rows
-- In: group. Out: its GUID.
select guid from groups where id = :group;

-- name: batch_of_rows
-- In: batch. Out: what a report says of all of its rows, and its messages by row.
select calls as attempts, http_status as httpStatus,
       strftime('%Y-%m-%dT%H:%M:%fZ', finished_at / 1000.0, 'unixepoch') as finishedAt, members, coalesce(messages, '') as messages
  from batches where id = :batch;

-- name: uids_like
-- In: like (pattern), after, until (rows). Out: UIDs of rows behind the first and up to the second, in the order of the input.
select id, uid, uid_hash, lower(uid) as folded from rows
 where id > :after and id <= :until and uid like :like escape '!' order by id;

-- name: first_rows_by_uid_hash
-- In: hashes (JSON array). Out: UIDs in lower case that have one of them, with their first row.
select lower(uid) as folded, min(id) as first from rows
 where uid_hash in (select value from json_each(:hashes)) group by 1;

-- name: line_at
-- In: row. Out: its line. (Rows are numbered 1, 2, 3, … and their lines never decrease.)
select line from rows where id = :row;

-- name: last_row
-- Out: number of the last row; null where there is none.
select max(id) as id from rows;

-- name: problem_counts
-- In: fulfilled (JSON array of outcomes). Out: other rows by outcome, code and, of invalid rows, column, most first, with the first, the last
-- and another one, as if by chance: the smallest mixed number, which has that of the row in its lower 40 bits.
select status, code, place, count(*) as n, min(id) as first, max(id) as last,
       iif(count(*) = 3, sum(id) - min(id) - max(id), min((id * 40503 % 4096) << 40 | id) & 0xffffffffff) as middle
  from (select o.name as status, coalesce(m.code, '') as code, '' as place, m.row_id as id
          from memberships m join outcomes o on o.id = m.outcome_id
         where m.outcome_id not in (select value from json_each(:fulfilled))
        union all
        select 'invalid', code, column_name, row_id from problems where position = 0
        union all
        select 'duplicate', 'DUPLICATE', '', row_id from duplicates
        union all
        select 'skipped', code, '', row_id from skipped)
 group by 1, 2, 3 order by n desc, status, code, place;

-- name: first_invalid
-- In: limit. Out: the first invalid rows in the order of the input: code, column, and the beginning of the value.
select row_id as row, code, column_name as place, substr(value, 1, 60) as value from problems where position = 0 order by row_id limit :limit;

-- name: memberships_to_retry
-- Out: rows of a shaped input as memberships, in the order of the input; the reader replaces the mark with a choice of rows.
select r.line, reg.name as region, g.guid, r.uid, case when a.name in ('add', 'change') then s.name else '' end as scope,
       cg.on_behalf_of as actor, a.name as action, r.joined_at, r.until
  from memberships m
  join rows r on r.id = m.row_id
  join groups g on g.id = r.group_id
  join regions reg on reg.id = g.region_id
  join call_groups cg on cg.id = r.call_group_id
  join actions a on a.id = cg.action_id
  left join scopes s on s.id = r.scope_id
 where /* chosen */ true
 order by r.id;

-- name: more_columns
-- In: add (action). Out: a row for each column that memberships need in addition: for another action, in a silent import, and for ends.
select 'action' as name where exists (select 1 from call_groups where action_id <> :add)
union all select 'joined_at' where exists (select 1 from groups where guid = '')
union all select 'until' where exists (select 1 from input where ends);

-- name: asked_of_row
-- In: row. Out: the action and the acting user; nothing where the row is not sent.
select a.name as action, cg.on_behalf_of as onBehalfOf
  from rows r join call_groups cg on cg.id = r.call_group_id join actions a on a.id = cg.action_id where r.id = :row;

-- name: batch_of_row
-- In: batch. Out: the batch.
select id, size as uids, nullif(uncertainty, '') as uncertainty,
       strftime('%Y-%m-%dT%H:%M:%fZ', dispatched_at / 1000.0, 'unixepoch') as dispatchedAt,
       strftime('%Y-%m-%dT%H:%M:%fZ', finished_at / 1000.0, 'unixepoch') as finishedAt
  from batches where id = :batch;

-- name: calls_of_batch
-- In: batch. Out: the calls for it, and for the batches that it was split from, in order.
with recursive line (id) as (
  select :batch union select b.parent from batches b join line on b.id = line.id where b.parent is not null)
select batch_id as batch, strftime('%Y-%m-%dT%H:%M:%fZ', at / 1000.0, 'unixepoch') as at, ms, http_status as httpStatus,
       code, kind, nullif(message, '') as message, nullif(request_id, '') as requestId
  from calls
 where batch_id in (select id from line) order by at, id;

-- name: creations_of_row
-- In: row. Out: the creation results of its user and its group, where they were looked up or created.
select c.kind, coalesce(c.outcome, 'waiting') as outcome, nullif(c.code, '') as code, nullif(c.message, '') as message,
       strftime('%Y-%m-%dT%H:%M:%fZ', c.at / 1000.0, 'unixepoch') as at
  from rows r join groups g on g.id = r.group_id
  join creations c on c.region_id = r.region_id
   and (c.kind = 'user' and c.name = lower(r.uid) or c.kind = 'group' and c.name = lower(g.guid))
 where r.id = :row order by c.kind;

-- name: created
-- Out: users and groups that the import created, and users that it made active again; groups first.
select c.kind, r.name as region, c.name as id, c.outcome, coalesce(c.code, '') as code, coalesce(c.message, '') as message, c.at
  from creations c join regions r on r.id = c.region_id
 where c.outcome in ('created', 'reactivated') order by c.kind, c.id;

-- name: problem_value
-- In: row. Out: the value of its first problem.
select value from problems where row_id = :row and position = 0;

-- name: call_span
-- Out: start of the first and the last call (ms); null where there are none.
select min(at) as first, max(at) as last from calls;

-- name: call_steps
-- In: step (ms). Out: calls of all regions by step of time since 1970, in their order; steps without any are left out.
select at / cast(:step as integer) as step, count(*) as calls, sum(kind = 'slow-down') as rateLimited
  from calls group by 1 order by 1;

-- name: retry_work
-- In: retryable (JSON array of outcomes), call (UIDs in a call), together (rows of a silent call). Out: groups and calls of a retry, by region.
select r.name as region, count(distinct group_id) as groups, sum(calls) as calls
  from (select b.region_id, l.group_id, (count(*) + s.size - 1) / s.size as calls
          from memberships m join batches b on b.id = m.batch_id join call_groups l on l.id = b.call_group_id
          join (select id, cast(iif(guid = '', :together, :call) as integer) as size from groups) s on s.id = l.group_id
         where m.outcome_id in (select value from json_each(:retryable))
         group by b.region_id, l.group_id, l.id)
  join regions r on r.id = region_id
 group by region_id;

-- name: calls_left
-- In: held (1: also those that a person must resume). Out: unfinished batches, by region. One state at a time: most have an index.
select r.name as region, sum(n) as n
  from (select region_id, count(*) as n from batches where state = 'pending' group by region_id
        union all
        select region_id, count(*) from batches where state = 'dispatched' group by region_id
        union all
        select region_id, count(*) from batches where state = 'waiting' group by region_id
        union all
        select region_id, count(*) from batches where :held and state = 'later' group by region_id)
  join regions r on r.id = region_id
 group by region_id;

-- name: kept_scopes
-- In: member (outcome), add (action). Out: rows that add an admin or a moderator who was a member before, but not those
-- whom an earlier call of this import may have added.
select count(*) as n
  from memberships m join scopes s on s.id = m.scope_id and s.name in ('admin', 'moderator')
  join batches b on b.id = m.batch_id and b.uncertainty is null
  join call_groups cg on cg.id = b.call_group_id and cg.action_id = :add
 where m.outcome_id = :member;

-- name: grown_groups
-- In: most (members), call (users of a call), added (outcome). Out: groups that grew beyond so many members, and one of them with its members.
with grown as (
  select distinct cg.group_id as id from batches b join call_groups cg on cg.id = b.call_group_id
   where b.members > :most and b.members <= :most + :call
     and b.members - (select count(*) from memberships m where m.batch_id = b.id and m.outcome_id = :added) <= :most)
select (select count(*) from grown) as n, g.guid, max(b.members) as members
  from grown join groups g on g.id = grown.id join call_groups cg on cg.group_id = g.id join batches b on b.call_group_id = cg.id
 group by g.id limit 1;
