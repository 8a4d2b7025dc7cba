-- The identity file of an import while it is staged: a temporary database on disk, so that a million people take no memory.

-- name: make_identities
-- Keys in lower case.
create table identities (key text primary key, uid text not null, line integer not null) without rowid;

-- name: make_unknown
-- Keys that were looked up and not found, as they were written first.
create table unknown (key text primary key, written text not null, n integer not null) without rowid;

-- name: add_identity
-- In: key (lower case), uid, line. Changes nothing if the key exists.
insert into identities (key, uid, line) values (:key, :uid, :line) on conflict (key) do nothing;

-- name: identity
-- In: key. Out: its UID, and the line of the identity file.
select uid, line from identities where key = :key;

-- name: add_unknown
-- In: key, written. Counts it.
insert into unknown (key, written, n) values (:key, :written, 1) on conflict (key) do update set n = n + 1;

-- name: unknown
-- Out: every unknown key once, the most frequent first.
select written, n from unknown order by n desc, key;
