-- name: begin
-- In: id. Begins to delete the things that the import created.
insert or ignore into deletions (import_id) values (:id);

-- name: end
-- In: id.
delete from deletions where import_id = :id;

-- name: all
-- Out: ids of imports whose deletion was begun and not ended.
select import_id as id from deletions order by import_id;
