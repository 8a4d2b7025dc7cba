-- What an invalid row said as far as it could be read, so that it is found by GUID and UID. `rows` has its UID.

create table invalid_rows (
  row_id integer primary key,
  guid   text not null,                  -- as it was read, at most 200 characters; '' where there was none
  scope  text not null
) strict;
