-- An identity or group file of an import while it is staged: a temporary database on disk, so that a million people take no memory.

-- name: make_targets
-- Keys in lower case; `field` is the position of the column with the key; `folded` is the id as ids are compared.
create table targets (key text not null, field integer not null, region text not null, folded text not null, scope text not null, id text not null, line integer not null, primary key (key, field, region, folded, scope)) without rowid;

-- name: make_unknown
-- Keys that were looked up and not found, as they were written first.
create table unknown (key text primary key, written text not null, n integer not null) without rowid;

-- name: add_target
-- In: key (lower case), field, region and scope ('' for none), folded, id, line. Changes nothing if it is there.
insert into targets (key, field, region, folded, scope, id, line) values (:key, :field, :region, :folded, :scope, :id, :line) on conflict do nothing;

-- name: targets
-- In: key. Out: what it stands for, each once, in the order of the file.
select region, scope, id, min(line) as line from targets where key = :key group by region, folded, scope order by line, folded, region;

-- name: key_of_two
-- Out: a key with two ids, of a file in which each has one.
select key from targets group by key having count(distinct folded) > 1 limit 1;

-- name: key_of_two_scopes
-- Out: a key that has two scopes in one group.
select key from targets group by key, region, folded having count(distinct scope) > 1 limit 1;

-- name: key_of_two_columns
-- Out: a key that stands in two columns, and not for the same in both.
select key from targets group by key having count(*) <> count(distinct field) * count(distinct region || ' ' || folded) limit 1;

-- name: add_unknown
-- In: key, written. Counts it.
insert into unknown (key, written, n) values (:key, :written, 1) on conflict (key) do update set n = n + 1;

-- name: unknown
-- Out: every unknown key once, the most frequent first.
select written, n from unknown order by n desc, key;
