-- Statements on the deliveries of reports, by name. They are in the catalog.

-- name: book_owner
-- Out: the id of this data directory.
select id from coordinator;

-- name: waiting_deliveries
-- Out: ids of imports whose reports are still to be delivered, the oldest first.
select import_id as id from report_deliveries where arrived_at is null order by since, import_id;

-- name: delivery_arrived
-- In: id, at (ms).
update report_deliveries set arrived_at = :at, error = null where import_id = :id;

-- name: delivery_failed
-- In: id, error. Keeps why the last attempt has failed.
update report_deliveries set error = :error where import_id = :id;

-- name: delivery_lasts
-- In: id, at (ms). Notifies that it waits, once.
update report_deliveries set told_at = :at where import_id = :id and arrived_at is null and error is not null and told_at is null;

-- name: forget_delivery
-- In: id. There was nothing to deliver.
delete from report_deliveries where import_id = :id;
