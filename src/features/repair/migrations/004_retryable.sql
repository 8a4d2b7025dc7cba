-- What a retry would send of rows that were sent repaired is asked of the ledger: it changes after they were edited.
alter table repairs drop column retryable;
