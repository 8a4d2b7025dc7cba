-- What the service said of a call that it refused, for whoever asks its support.
alter table calls add column request_id text;           -- null where the service did not name the request
alter table calls add column message    text;           -- null where the call was answered
