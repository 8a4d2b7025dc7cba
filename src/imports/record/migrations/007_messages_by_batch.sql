-- The action messages of a batch are kept once for the batch: a text in each of its rows takes as long as recording all else.

-- JSON array of [row, id of the message that its addition left]; null where the reply names none.
alter table batches add column messages text;

update batches set messages = m.messages
  from (select batch_id, json_group_array(json_array(row_id, message_id)) as messages from memberships
         where message_id is not null group by batch_id) as m
 where batches.id = m.batch_id;

alter table memberships drop column message_id;
