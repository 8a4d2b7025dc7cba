-- When a token was used last, to the minute.

alter table tokens add column last_used_at integer;
