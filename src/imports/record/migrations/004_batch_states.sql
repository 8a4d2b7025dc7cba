-- The state of a batch is a word: there are few batches, and many statements about their states.
create table batches_with_words (
  id          integer primary key,
  lane_id     integer not null,
  region_id   integer not null,
  turn        integer not null,          -- its place in its lane: first batches of all groups go first
  state       text not null default 'pending' check (state in (
    'pending',
    'dispatched',
    'done',
    'replaced',                          -- by other batches
    'waiting',                           -- for its group or users
    'later'                              -- other rows are tried first
  )),
  size        integer not null,          -- UIDs
  bans        integer not null,          -- UIDs among them that are to be banned
  parent      integer,                   -- the batch that it was cut from
  asked_again integer not null default 0, -- 1: holds UIDs that a reply did not mention
  asked_for   integer not null default 0, -- 1: its users are not known and may be created; 2: that was done
  doubt       text,                      -- why an earlier call for these rows may have been carried out
  calls       integer not null default 0, -- so far, those of its parents included
  dispatched_at integer,                 -- when it was last put into the queue
  http_status integer,                   -- of the last call
  finished_at integer,
  members     integer                    -- of the group after the batch was added; null where the reply does not say
) strict;

insert into batches_with_words
  select id, lane_id, region_id, turn,
         case state when 0 then 'pending' when 1 then 'dispatched' when 2 then 'done' when 3 then 'replaced'
                    when 4 then 'waiting' else 'later' end,
         size, bans, parent, asked_again, asked_for, doubt, calls, dispatched_at, http_status, finished_at, members
    from batches;

drop table batches;
alter table batches_with_words rename to batches;

create index batches_pending on batches (region_id, turn, id) where state = 'pending';
create index batches_dispatched on batches (id) where state = 'dispatched';
create index batches_by_lane on batches (lane_id);
create index batches_waiting on batches (id) where state = 'waiting';
