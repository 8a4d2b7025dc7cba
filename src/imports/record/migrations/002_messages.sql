-- What an addition leaves behind on the service, as the reply said it.

-- The action message in the group's conversation; null where there is none, or the reply does not name it.
alter table memberships add column message_id text;

-- Members of the group after the batch was added; null where the reply does not say.
alter table batches add column members integer;
