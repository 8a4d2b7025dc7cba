-- Where it came from: an address, or "command line"; empty in entries of earlier versions.

alter table audit add column address text not null default '';
