-- One check of a staged import: what the service says about its groups, users and memberships before anything is sent. Added to
-- the tables of its survey (survey-schema.sql), in which groups have the numbers of the import's ledger.

alter table groups add column creation text; -- of a missing one: '' it is created, or the code why it cannot be; null: not asked for
-- The place of a user who is not among its members: 0 where they are listed as a whole; null: not known.
alter table groups add column absent integer generated always as (iif(members_known and way is not 'ask', 0, null)) virtual;

alter table users add column creation text; -- of one who is not found: as of a group; a deactivated one is tried like an unknown one
alter table users add column first_row integer; -- of one who may be created: the row that says with what

-- Rows that would be sent, with what is to be expected of each. Made at the end.
create table verdicts (
  row_id  integer primary key,           -- as in the import's ledger
  verdict text not null,                 -- check-verdict.ts
  code    text not null                  -- why it would fail, or cannot be told; else empty
) strict;

create index verdicts_by_kind on verdicts (verdict, code);
