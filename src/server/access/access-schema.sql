-- The tokens of a server, and its audit log. Of tokens and sessions only the SHA-256 is kept.

create table tokens (
  id         text primary key,
  role       text not null,              -- viewer, operator
  name       text not null,
  hash       blob not null,              -- SHA-256 of the secret part
  created_at integer not null,           -- ms since 1970, like every time here
  expires_at integer,
  revoked_at integer,
  last_used_at integer                   -- to the minute
) strict;

-- Browsers that have logged in. A session is worth what its token is worth.
create table sessions (
  hash       blob primary key,           -- SHA-256 of the cookie
  token_id   text not null references tokens (id) on delete cascade,
  expires_at integer not null
) strict;

create table audit (
  id      integer primary key,
  at      integer not null,
  who     text not null,                 -- name of the token, or "local"
  role    text not null,
  action  text not null,
  target  text not null,
  detail  text not null,
  address text not null                  -- where it came from: an address, or "command line"
) strict;

-- Uploads with an Idempotency-Key, so that a repeated one makes no second import.
create table idempotency (
  who       text not null,               -- a key means something only to the one who chose it
  key       text not null,
  options   text not null,               -- SHA-256 of the request's options, in hex
  body      text not null,               -- SHA-256 of the file, in hex
  import_id text not null,
  at        integer not null,
  primary key (who, key)
) strict;

-- The receiver of notifications that an admin has set. The address may hold a secret, and none of this is ever shown again.
create table receiver (
  id      integer primary key check (id = 1),
  address text not null,
  secret  text                           -- notifications are signed with it; null: they are not
) strict;
