-- Queries on the survey of an export. Groups come in the order of region and GUID; one was read when all its parts are known.

-- name: count
-- In: factsOnly. Out: groups that were read and that are still to be read; members, the banned, and entries with an unknown scope of the
-- groups that were read; users.
select * from
  (select count(*) filter (where state = 'found' and isRead) as groups,
     count(*) filter (where state = 'pending' or state = 'found' and not isRead) as pending
   from (select state, facts is not null and (:factsOnly or members_known and bans_known) as isRead from groups)),
  (select count(*) filter (where not banned) as members, count(*) filter (where banned) as banned,
     count(*) filter (where place = 9) as unknownScopes
   from members join groups on groups.id = group_id where members_known and bans_known),
  (select count(*) as users from users);

-- name: missing_everywhere
-- A group that was asked for in several regions is missing only where none of them has it.
select guid, min(code) as code, min(message) as message from groups
group by guid having sum(state <> 'missing') = 0 order by guid;

-- name: failed
-- Out: groups that could not be read, and why.
select region, guid, code, message from groups where state = 'failed' order by region, guid;

-- name: members
-- Out: every entry of the groups that were read, by region, GUID and UID.
select groups.region, groups.guid, members.uid, case banned when 1 then 'ban' else scope end as scope,
  members.name, joined_at as joinedAt, groups.name as groupName, groups.type as groupType, groups.owner as groupOwner
from groups join members on group_id = groups.id
where members_known and bans_known
order by groups.region, groups.guid, members.uid;

-- name: groups
-- Out: groups whose fields are known, by region and GUID.
select region, facts from groups where facts is not null and state <> 'missing' order by region, guid;

-- name: users
-- Out: users by region and UID.
select region, facts from users order by region, uid;
