-- Who is notified, where an admin has set it. The address may hold a secret, and none of this is ever shown again.

create table receiver (
  id      integer primary key check (id = 1),
  address text not null,
  secret  text                           -- what notifications are signed with, where they are
) strict;
