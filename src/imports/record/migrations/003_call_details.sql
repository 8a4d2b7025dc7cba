-- What the service said when it refused a call: its support asks for that.
alter table calls add column request_id text;           -- null where the service did not name the request
alter table calls add column message    text;           -- null where the call was answered
