-- Statements on the notes that are still to be delivered, by name. They stand in the catalog.

-- name: notes_owner
select id from coordinator;

-- name: begin_notes
insert into notifying (since) select :at where not exists (select 1 from notifying);

-- name: end_notes
delete from notifying;

-- name: clear_notes
delete from deliveries;

-- name: waiting_notes
-- In: made (0 or 1). Out: notes that are to be delivered, oldest first: all, or only those that are not made yet.
select id, kind, subject, state, reason, at, body from deliveries
 where body is null or :made order by at, rowid;

-- name: find_note
select id, kind, subject, state, reason, at, body from deliveries where id = :id;

-- name: write_note
update deliveries set body = :body where id = :id;

-- name: remove_note
delete from deliveries where id = :id;
