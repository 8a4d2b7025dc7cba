-- Statements on the notes that are still to be delivered, by name. The notes are in the catalog.

-- name: begin_notes
-- In: at (ms). From now on the triggers of the catalog add notes.
insert into notifying (since) select :at where not exists (select 1 from notifying);

-- name: end_notes
-- The triggers add no more notes.
delete from notifying;

-- name: clear_notes
-- Deletes all notes.
delete from deliveries;

-- name: add_note
-- In: id, kind, subject, state, reason, at (ms), body. A note that no trigger adds; none where it waits already.
insert into deliveries (id, kind, subject, state, reason, at, body)
values (:id, :kind, :subject, :state, :reason, :at, :body) on conflict do nothing;

-- name: waiting_notes
-- Out: notes that wait for delivery, oldest first.
select id, kind, subject, state, reason, at, body from deliveries order by at, rowid;

-- name: write_note
-- In: id, body. Keeps the text of a note, which is the same in every repetition.
update deliveries set body = :body where id = :id;

-- name: remove_note
-- In: id. Deletes a note, delivered or given up.
delete from deliveries where id = :id;

-- name: count_notes
-- Out: how many notes are still to be delivered, and since when the oldest waits (ms; null without any).
select count(*) as waiting, min(at) as since from deliveries;
