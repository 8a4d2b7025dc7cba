-- After a crash, only batches whose call had begun may have been sent.

-- 1 when a call of the batch has begun since it was dispatched, 0 when none has; null when that is not marked.
alter table batches add column started integer;
