-- Statements on the notes that are still to be delivered, by name. They stand in the catalog.

-- name: owner
select id from coordinator;

-- name: begin
insert into notifying (since) select :at where not exists (select 1 from notifying);

-- name: end
delete from notifying;

-- name: clear
delete from deliveries;

-- name: waiting
-- Out: notes that are to be delivered, oldest first.
select id, import_id as importId, state, reason, at, body from deliveries order by at, rowid;

-- name: find
select id, import_id as importId, state, reason, at, body from deliveries where id = :id;

-- name: write
update deliveries set body = :body where id = :id;

-- name: remove
delete from deliveries where id = :id;
