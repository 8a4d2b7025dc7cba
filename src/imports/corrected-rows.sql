-- Statements on an import's ledger, with the edits of its rows attached as `corrections`.

-- name: find_edited
-- Adds the rows of the file that have edits to temp.left_out.
insert into temp.left_out (row_id, call_group_id, region_id, message)
  with edited (id) as (
    select row_id from corrections.corrected where import_id is null
    union select t.row_id from corrections.corrected e join parts t on t.first_row = e.row_id where e.import_id is null)
  select r.id, r.call_group_id, r.region_id, 'not sent as the file has it: the row was edited'
    from edited e join rows r on r.id = e.id where r.call_group_id is not null;

-- name: sent_lines
-- Out: lines of the rows that were sent with their edits.
select r.line from corrections.corrected e join rows r on r.id = e.row_id where e.import_id is not null;
