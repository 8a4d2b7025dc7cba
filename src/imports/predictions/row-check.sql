-- Reads the predictions of a check for rows, and from the import's ledger how many were left out.

-- name: run
-- Out: the state of the check, and the options (JSON) that its verdicts depend on; null where these are not made.
select state, options from run;

-- name: rows_of_verdict
-- In: verdict, code (null: any). Out: its rows. Filters of rows use it.
select row_id from verdicts where verdict = :verdict and (:code is null or code = :code);

-- name: verdicts_of_rows
-- In: rows (JSON array of numbers). Out: their verdicts. Pages of rows use it.
select row_id, verdict, code from verdicts where row_id in (select value from json_each(:rows));

-- name: left_out
-- Out: how many rows were left out (stage/leave-out.sql).
select count(*) as n from skipped where code = 'LEFT_OUT';
