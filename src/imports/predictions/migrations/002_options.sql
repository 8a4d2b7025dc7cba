-- JSON: the import's options that its verdicts depend on; null until they are made, and in checks of older versions.
alter table run add column options text;
