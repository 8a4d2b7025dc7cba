-- Totals of imports that have ended, so that a list of imports opens none of their ledgers.

-- JSON (`ImportTotals` in api/import-summary.ts); null until it has ended and was counted. A change of its form sets it to
-- null: it is counted again when it is read.
alter table imports add column totals text;

-- Imports and syncs as statements give them: one home for the names of their columns. A migration that adds a column to be
-- read makes its view again.

create view import_records as
select id, state, reason, code, remedy, file, source, options, retry_of as retryOf, created_by as createdBy, tags, totals,
       created_at as createdAt, started_at as startedAt, finished_at as finishedAt
  from imports;

create view sync_records as
select id, state, reason, code, file, source, options, totals, undo_of as undoOf, import_id as importId,
       schedule_id as scheduleId, approved_by as approvedBy, approved_at as approvedAt, approval,
       created_at as createdAt, finished_at as finishedAt
  from syncs;
