-- Memberships that end, and when: ends.sqlite of a data directory.

create table ends (
  app       text not null,               -- id of the app that the membership is in; 'sandbox' for a sandbox, '' where it is not known
  region    text not null,
  guid      text not null collate nocase,
  uid       text not null collate nocase,
  -- ms since 1970; null: a row keeps the membership, and imports that were begun before that row are not over yet
  until     integer,
  by        text not null,               -- id of the import or sync whose row says so
  at        integer not null,            -- when that was begun (ms): a row of one that was begun earlier changes nothing
  primary key (app, region, guid, uid)
) strict, without rowid;

create index ends_by_time on ends (until) where until is not null;

-- Ends that rows set, moved or took away, as they were before: an undo puts them back.
create table moved (
  by     text not null,                  -- the import or sync whose row did it
  app    text not null,
  region text not null,
  guid   text not null collate nocase,
  uid    text not null collate nocase,
  until  integer,                        -- null: none
  at     integer not null,               -- when that was noted (ms)
  primary key (by, app, region, guid, uid)
) strict, without rowid;

create trigger end_set after insert on ends when new.until is not null begin
  insert or ignore into moved values (new.by, new.app, new.region, new.guid, new.uid, null, unixepoch() * 1000);
end;

create trigger end_moved after update of until on ends when new.until is not old.until begin
  insert or ignore into moved values (new.by, new.app, new.region, new.guid, new.uid, old.until, unixepoch() * 1000);
end;

-- Those that no later row has changed. What an undo says (its id begins so) was said before.
create view puttable as
select m.by, app, region, guid, uid, m.until
  from moved m join ends e using (app, region, guid, uid)
 where e.until is not m.until and (e.by = m.by or e.by glob 'undo-*');
