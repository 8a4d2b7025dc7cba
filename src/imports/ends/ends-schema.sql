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
