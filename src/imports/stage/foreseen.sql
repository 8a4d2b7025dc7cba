-- Statements on an import's ledger, with its check attached as `checked`.

-- name: failing_codes
-- Out: why rows would fail.
select distinct code from checked.verdicts where verdict = 'fail';

-- name: find_failing
-- In: code, message. Adds to temp.left_out the rows that would fail for it and are still to be sent.
insert into temp.left_out (row_id, call_group_id, region_id, message)
  select r.id, r.call_group_id, r.region_id, :message from checked.verdicts v join rows r on r.id = v.row_id
   where v.verdict = 'fail' and v.code = :code and r.call_group_id is not null;
