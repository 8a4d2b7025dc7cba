-- Running totals by region are counters, in the statements too.
alter table tallies rename to counters;
