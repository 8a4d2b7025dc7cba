-- Statements of a survey. `parts` of a group: facts, members and banned are 1 where they are asked for. `ids`: a JSON array of
-- groups, or null for all.

-- name: begin
-- In: options (JSON), at (ms). Once, in a new file.
insert into run (id, state, reason, options, created_at) values (1, 'running', '', :options, :at);

-- name: run
-- Out: the survey, one row.
select state, reason, calls, price, notes, options, created_at as createdAt, finished_at as finishedAt from run;

-- name: move
-- In: state, reason, price (JSON or null), at (ms; null while it runs).
update run set state = :state, reason = :reason, price = :price, finished_at = :at;

-- name: set_options
-- In: options (JSON).
update run set options = :options;

-- name: count_call
-- A call is made.
update run set calls = calls + 1;

-- name: note
-- In: sentence. Nothing changes where it is noted already.
update run set notes = json_insert(notes, '$[#]', :sentence)
where not exists (select 1 from json_each(notes) where value = :sentence);

-- name: regions
-- Out: regions of the groups and users.
select region from groups union select region from users order by region;

-- name: add_group
-- In: region, guid. A group that is read.
insert or ignore into groups (region, guid) values (:region, :guid);

-- name: add_user
-- In: region, uid. A user who is asked about.
insert or ignore into users (region, uid) values (:region, :uid);

-- name: open_groups
-- In: region, facts, members, banned, ids, after (number of a group), limit. Out: the next of these groups, and what is still to
-- be read of each. (`+` keeps SQLite from an index in which they are not in this order.)
select id, guid, way, members_known as listed, :facts and facts is null as facts,
  :members and not members_known as members, :banned and not bans_known as banned
from groups
where +region = :region and state in ('pending', 'found')
  and (:facts and facts is null or :members and not members_known or :banned and not bans_known)
  and (:ids is null or id in (select value from json_each(:ids))) and id > :after
order by id limit :limit;

-- name: open_work
-- In: facts, members, banned, ids, page (members). Out: groups of which such a part is still to be read by region, and the calls for them.
select region, count(*) as groups, sum(
  (:facts and facts is null)
  + (:members and not members_known) * iif(way = 'ask', asked, max(1, ceil(1.0 * coalesce(size, 0) / :page)))
  + (:banned and not bans_known)) as calls
from groups
where state in ('pending', 'found')
  and (:facts and facts is null or :members and not members_known or :banned and not bans_known)
  and (:ids is null or id in (select value from json_each(:ids)))
group by region;

-- name: choose_ways
-- In: page (members). Listing costs a call for 1,000 members, asking one for each user. A list of unknown length is guessed to be short.
update groups set way = iif(max(1, ceil(1.0 * coalesce(size, 0) / :page)) <= asked, 'list', 'ask')
where state = 'found' and way is null and asked is not null;

-- name: set_facts
-- In: group, facts (JSON). It exists.
update groups set state = 'found', facts = :facts where id = :group;

-- name: close_group
-- In: group, members, banned. These parts are known, as far as they can be.
update groups set state = 'found', members_known = members_known or :members, bans_known = bans_known or :banned where id = :group;

-- name: fail_group
-- In: group, state, code, message. It does not exist, or cannot be read.
update groups set state = :state, code = :code, message = :message, members_known = 0, bans_known = 0 where id = :group;

-- name: forget_members
-- In: group. Its list is read again, or cannot be read.
delete from members where group_id = :group;

-- name: add_member
-- In: group, uid, scope, joined_at, name. Nothing changes where the user is known already.
insert or ignore into members (group_id, uid, scope, joined_at, name) values (:group, :uid, :scope, :joined_at, :name);

-- name: set_member
-- In: group, uid, scope, joined_at, name. A later entry for the same member replaces the earlier one.
update members set scope = :scope, joined_at = :joined_at, name = :name where group_id = :group and uid = :uid;

-- name: forget_banned
-- In: group. Before its list of the banned is read again: those who are in that list only.
delete from members where group_id = :group and banned = 1 and scope = '';

-- name: forget_bans
-- In: group. The same, for entries that are also members.
update members set banned = 0 where group_id = :group and banned = 1;

-- name: ban_member
-- In: group, uid. A user from the list of banned users, a member or not.
insert into members (group_id, uid, scope, banned) values (:group, :uid, '', 1)
on conflict (group_id, uid) do update set banned = 1 where banned = 0;

-- name: asked_exist
-- In: group. Users who are asked about and are members or banned exist.
update users set state = 'exists' where state is null and id in (
  select a.user_id from asked a join users u on u.id = a.user_id
  join members m on m.group_id = a.group_id and m.uid = u.uid and m.place <> 0 where a.group_id = :group);

-- name: forget_others
-- In: group. Where only some users are asked about, nothing is kept of the others.
delete from members where group_id = :group and exists (select 1 from groups g where g.id = :group and g.asked is not null)
  and uid not in (select u.uid from asked a join users u on u.id = a.user_id where a.group_id = :group);

-- name: users_to_ask
-- In: group. Out: users of whom it is not known whether they are in it.
select u.id, u.uid from asked a join users u on u.id = a.user_id
where a.group_id = :group and not exists (select 1 from members m where m.group_id = a.group_id and m.uid = u.uid);

-- name: count_pending
-- In: region. Out: groups of which nothing is known.
select count(*) as n from groups where region = :region and state = 'pending' and facts is null;

-- name: count_open_users
-- In: region. Out: users of whom nothing is known.
select count(*) as n from users where region = :region and state is null;

-- name: open_users
-- In: region, after (number of a user), limit. Out: users of whom nothing is known.
select id, uid from users where region = :region and state is null and id > :after order by id limit :limit;

-- name: some_open_users
-- In: region, limit. Spread over the region, so that they say something about all of it.
select id, uid from users where region = :region and state is null order by (id * 2654435761) % 4294967296 limit :limit;

-- name: set_user
-- In: user, state. Nothing changes where it is known already.
update users set state = :state where id = :user and state is null;

-- name: count_missing_users
-- Out: how many users are unknown, and how many deactivated.
select total(state = 'unknown') as unknown, total(state = 'deactivated') as deactivated from users;

-- name: first_unknown_users
-- In: limit. Out: some of those who are unknown.
select uid from users where state = 'unknown' order by id limit :limit;

-- name: rest_is_unknown
-- In: region. Users who are not in the list do not exist.
update users set state = 'unknown' where region = :region and state is null;

-- name: forget_listed
-- In: list, region. Deletes a list, before it is read again or after it was used.
delete from listed where list = :list and region = :region;

-- name: add_listed
-- In: list, region, id, state, facts. Nothing changes where the id is in the list already.
insert or ignore into listed (list, region, id, state, facts) values (:list, :region, :id, :state, :facts);

-- name: set_listed
-- In: list, region, id, state, facts. A later entry for the same id replaces the earlier one.
update listed set state = :state, facts = :facts where list = :list and region = :region and id = :id;

-- name: take_groups
-- In: region, list, all. All groups of the list, or those that were asked for, are found.
insert into groups (region, guid, state, facts)
select l.region, l.id, 'found', l.facts from listed l where l.list = :list and l.region = :region
  and (:all or exists (select 1 from groups g where g.region = l.region and g.guid = l.id))
on conflict (region, guid) do update set state = 'found', facts = excluded.facts where state = 'pending';

-- name: take_users
-- In: region, list, all. The same for users, active or deactivated.
insert into users (region, uid, state, facts)
select l.region, l.id, l.state, l.facts from listed l where l.list = :list and l.region = :region
  and (:all or exists (select 1 from users u where u.region = l.region and u.uid = l.id))
on conflict (region, uid) do update set state = excluded.state, facts = excluded.facts where state is null;

-- name: take_deactivated
-- In: region, list. Users in the list of the deactivated, also where they were found as members.
update users set state = 'deactivated' where region = :region
  and exists (select 1 from listed l where l.list = :list and l.region = :region and l.id = users.uid);

-- name: list_done
-- In: region, list. The list was read as a whole.
insert or ignore into lists (region, list) values (:region, :list);

-- name: is_list_done
-- In: region, list. Out: a row if it was.
select 1 as done from lists where region = :region and list = :list;
