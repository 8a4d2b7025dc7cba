-- Statements on an import's ledger, by name.

-- name: columns
-- Out: the columns of its input (JSON); nothing before it was read.
select columns from input;
