-- What a sync may create: groups that are not there, and users whom the service does not know.

-- JSON: what may be created and how much, and what is known to be missing; null: nothing may be.
alter table plan add column creating text;
-- JSON of a group that is not there and would be created: name, type and owner; null: any other.
alter table groups add column creates text;
-- Row of the staged file that asks for it; null where none does.
alter table actions add column row_id integer;

-- Users who would be added and are in none of the groups that were listed: they may not exist.
create table newcomers (
  region text not null,
  uid    text not null collate nocase,
  primary key (region, uid)
) strict, without rowid;
