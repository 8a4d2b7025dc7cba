-- JSON array of {code, text}: what a person should know about the file.
alter table plan add column notes text not null default '[]';
