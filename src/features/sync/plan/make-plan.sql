-- Making a plan: one action for every user whom the file names or the service lists in a group that was listed. First the
-- cases are gathered, then every one gets a reason; the table `reasons` says which action a reason leads to. Places in a group
-- are numbers: `:outside`, `:admin` and `:ban` are those of a user who is neither a member nor banned, of an admin and of
-- a banned user; members have those of their scopes, the highest scope first. `:unrecorded` is the place where no record says it.

-- name: open_cases
-- want: the scope that the file asks for; null where it does not name the UID. state: the place in the group now. was: an undo's
-- place before.
create temp table cases (
  group_id integer not null, uid text not null collate nocase, state integer not null, want integer, was integer,
  outcome text, contradicted integer not null default 0, ended integer not null default 0, line integer, row_id integer,
  primary key (group_id, uid)) without rowid;

-- name: open_claimed
-- Members whom other imports claim: gather_claimed says which.
create temp table claimed (
  group_id integer not null, uid text not null collate nocase, primary key (group_id, uid)) without rowid;

-- name: gather_claimed
-- In: undo (0 or 1). For an undo, members whom a later import has added, changed or found there; otherwise, members whom an import that
-- is not over adds or changes. `later`: the ledger of that import.
insert or ignore into temp.claimed (group_id, uid)
select g.id, l.uid
  from later.rows r
  join later.groups lg on lg.id = r.group_id
  join later.regions reg on reg.id = lg.region_id
  join main.groups g on g.region = reg.name and g.guid = lg.guid collate nocase
  join main.members l on l.group_id = g.id and l.uid = r.uid and l.banned = 0
 where iif(:undo,
   r.id in (select m.row_id from later.memberships m join later.outcomes o on o.id = m.outcome_id
             where o.name in ('added', 'already_member', 'changed')),
   r.call_group_id in (select cg.id from later.call_groups cg join later.actions act on act.id = cg.action_id
                        where act.name in ('add', 'change')));

-- name: open_mine
-- Members whom the sync made, with the place that it gave.
create temp table mine (
  group_id integer not null, uid text not null collate nocase, place integer not null, back integer not null,
  primary key (group_id, uid)) without rowid;

-- name: gather_mine
-- In: sync (name), apps (JSON of region -> app). For cases that are not as the file says. `memory`: the memory of syncs with a name.
insert into temp.mine (group_id, uid, place, back)
select c.group_id, c.uid, m.place, m.back
  from temp.cases c
  cross join main.groups g on g.id = c.group_id
  cross join memory.groups k on k.sync = :sync and k.region = g.region and k.guid = g.guid and k.app = :apps ->> g.region
  cross join memory.made m on m.group_id = k.id and m.uid = c.uid
 where c.want is null or c.want <> c.state;

-- name: remembers
-- In: sync, apps. Out: a row where the sync made anyone a member of these groups.
select 1
  from main.groups g
  cross join memory.groups k on k.sync = :sync and k.region = g.region and k.guid = g.guid and k.app = :apps ->> g.region
  cross join memory.made m on m.group_id = k.id
 limit 1;

-- name: open_shielded
-- Cases with what protects a UID from losing something. The flags of the plan are there by then.
create temp view shielded as
select c.*, g.creates, o.place as ours, o.back,
       case when c.uid in (select value from json_each((select flags from main.plan), '$.removeNamed')) then 'named'
                 when c.uid = g.owner then 'owner'
                 when c.uid in (select value from json_each((select flags from main.plan), '$.protect')) then 'protected'
                 when g.owner is null then 'owner_unknown'
                 when k.uid is not null then 'claimed'
                 else '' end as shield
  from temp.cases c
  join main.groups g on g.id = c.group_id
  left join temp.claimed k on k.group_id = c.group_id and k.uid = c.uid
  left join temp.mine o on o.group_id = c.group_id and o.uid = c.uid;

-- name: forget_actions
-- Deletes the actions of an earlier time.
delete from actions;

-- name: set_reason
-- In: name, action. The action that a reason leads to.
insert into reasons (name, action) values (:name, :action)
  on conflict (name) do update set action = excluded.action;

-- name: set_flags
-- In: flags (JSON), at (ms). Notes how and when the plan was made.
update plan set flags = :flags, planned_at = :at;

-- name: gather_wanted
-- In: outside, now (ms). Rows that are neither invalid nor duplicates nor over. The service's spelling of a UID goes before the file's. Sorted first,
-- because a shuffled file would jump about in both tables; the limit keeps the order, `cross` the order of joining. In a
-- group that will be created, there are no members yet.
insert into temp.cases (group_id, uid, state, want, line, row_id)
select r.group_id, coalesce(l.uid, r.uid), coalesce(l.place, :outside), r.scope_id, r.line, r.id
  from (select group_id, uid, scope_id, line, id from desired.rows where call_group_id is not null and (until is null or until > :now)
         order by group_id, uid collate nocase limit -1) as r
  cross join groups g on g.id = r.group_id and (g.listing = 'listed' or g.creates is not null)
  left join members l on l.group_id = r.group_id and l.uid = r.uid;

-- name: gather_ended
-- In: now (ms). Members whose rows are over: the file does not name them.
insert or ignore into temp.cases (group_id, uid, state, ended, line)
select l.group_id, l.uid, l.place, 1, r.line
  from desired.rows r
  join groups g on g.id = r.group_id and g.listing = 'listed'
  join members l on l.group_id = r.group_id and l.uid = r.uid
 where r.call_group_id is not null and r.until <= :now;

-- name: gather_contradicted
-- Members whom invalid rows name: such a row is wrong only in combination with another row.
insert or ignore into temp.cases (group_id, uid, state, contradicted, line)
select l.group_id, l.uid, l.place, 1, r.line
  from desired.rows r
  join desired.problems p on p.row_id = r.id and p.position = 0
  join groups g on g.id = r.group_id and g.listing = 'listed'
  join members l on l.group_id = r.group_id and l.uid = r.uid;

-- name: gather_unnamed
-- All other users whom the service lists.
insert or ignore into temp.cases (group_id, uid, state)
select l.group_id, l.uid, l.place from members l join groups g on g.id = l.group_id and g.listing = 'listed';

-- name: decide_sync
-- In: mirror, demotion, unban (0 or 1), missing, whose, left, changed, outside, admin, ban. The order matters: the first that is true is the reason.
insert into actions (group_id, uid, action, from_id, to_id, reason, line, row_id)
select d.group_id, d.uid, why.action, d.state,
       case why.action when 'keep' then d.state else coalesce(d.want, case :missing when 'ban' then :ban else :outside end) end,
       d.reason, d.line, d.row_id
  from (select *,
          case when want is null and state = :ban then 'stays_banned'
               when want is null and not :mirror then 'unnamed'
               when want is null and contradicted then 'contradicted'
               when want is null and :missing = 'report' then 'missing'
               when want is null and :whose = 'ours' and ours is null then 'not_ours'
               when want is not null and want = state then 'right'
               when :changed = 'keep' and want <> :ban and state not in (ours, :outside) then 'changed_by_others'
               when coalesce(want, :ban) = :ban and shield in ('owner', 'protected') then 'spared_' || shield
               when coalesce(want, :ban) = :ban and state = :admin and shield <> 'named' then 'spared_admin'
               when coalesce(want, :ban) = :ban and shield = 'owner_unknown' then 'spared_owner_unknown'
               when want is null and shield = 'claimed' then 'spared_claimed'
               when want is null and :missing = 'ban' then 'missing_banned'
               when want is null and ended then 'ended'
               when want is null then 'missing_removed'
               when want = :ban then 'ban_wanted'
               when state = :outside and back then 'brought_back'
               when state = :outside and ours is not null then iif(:left = 'keep-out', 'left', 'left_added')
               when state = :outside and creates is not null then 'absent_with_group'
               when state = :outside then 'absent'
               when state = :ban and :unban then 'ban_lifted'
               when state = :ban then 'banned'
               when want < state then 'raised'
               when not :demotion then 'not_lowered'
               when shield in ('owner', 'protected', 'owner_unknown') then 'not_lowered_' || shield
               else 'lowered' end as reason
          from temp.shielded) as d
  join reasons why on why.name = d.reason;

-- name: forget_newcomers
-- Deletes the newcomers of an earlier time.
delete from users;

-- name: gather_newcomers
-- Users who would be added and were outside the group.
insert or ignore into users (region, uid)
select g.region, a.uid from actions a join groups g on g.id = a.group_id where a.action = 'add' and a.from_id = 0 order by 1, 2;

-- name: forget_known
-- Users who were listed in a group exist.
delete from users where id in (
  select u.id from members l join groups g on g.id = l.group_id join users u on u.region = g.region and u.uid = l.uid);

-- name: gather_undone
-- In: outside, ban, unrecorded. The import's action on a user is a move from one place (`was`) to another (`want`). An
-- import of edits says in its column `from` where it began; any other adds those who were not there or were banned,
-- which their rows say, and does not know whom it banned. Who was there already, after a call that may have been
-- carried out, is a case as well: `uncertain`. It and a row without an answer count as done.
with journal as (
  select case i.format when 'csv' then '$[' || c.key || ']' else '$.from' end as path
    from undone.input i, json_each(i.columns) c
   where c.value = 'from' and i.recognised ->> 'action' is not null)
insert into temp.cases (group_id, uid, state, want, was, outcome, line)
select d.group_id, coalesce(l.uid, d.uid), coalesce(l.place, :outside),
       iif(d.action in ('remove', 'unban'), :outside, d.scope_id),
       case when d.outcome = 'unbanned' or (d.outcome = 'added' and d.code = 'BAN_LIFTED') then :ban
            when j.path is null then iif(d.action = 'add' and d.scope_id <> :ban, :outside, :unrecorded)
            when d.original ->> j.path = '' then :outside
            else coalesce((select s.id from undone.scopes s where s.name = d.original ->> j.path), :unrecorded) end,
       iif(d.was_there, 'uncertain', d.outcome), d.line
  from temp.done d
  join groups g on g.id = d.group_id and g.listing = 'listed'
  left join journal j
  left join members l on l.group_id = d.group_id and l.uid = d.uid
 where not d.was_there or (d.uncertainty is not null and l.place = d.scope_id);

-- name: decide_undo
-- In: unban, uncertain (0 or 1), outside, ban, unrecorded. A move is undone where the user is still as the import left it. Admins made by the import are not spared.
insert into actions (group_id, uid, action, from_id, to_id, reason, line)
select d.group_id, d.uid, why.action, d.state, case why.action when 'keep' then d.state else max(d.was, :outside) end,
       d.reason, d.line
  from (select *,
          case when outcome = 'unconfirmed' and not :uncertain then 'undo_unconfirmed'
               when outcome = 'uncertain' and not :uncertain then 'undo_uncertain'
               when state = was then 'undo_nothing'
               when state <> want then 'undo_moved'
               when want = :ban and not :unban then 'undo_ban_stays'
               when want = :ban and was = :unrecorded then 'undo_ban_unrecorded'
               when want = :ban and was = :outside then 'undo_ban_outside'
               when want = :ban then 'undo_banned'
               when was = :unrecorded then 'undo_unrecorded'
               when outcome = 'unbanned' then 'undo_unbanned'
               when want = :outside and was = :ban then 'undo_unrecorded'
               when want = :outside then 'undo_removed'
               when (was = :outside or was > want) and shield in ('owner', 'protected', 'owner_unknown') then 'spared_' || shield
               when was = :outside and shield = 'claimed' then 'spared_claimed'
               when was = :outside and outcome in ('uncertain', 'unconfirmed') then 'undo_perhaps_added'
               when was = :outside then 'undo_added'
               when was = :ban then 'undo_unbanned'
               else 'undo_changed' end as reason
          from temp.shielded) as d
  join reasons why on why.name = d.reason;
