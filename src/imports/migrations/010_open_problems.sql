-- Imports of which more rows needed a person than their retries have sent. A retry that is under way may send all of them.
create view open_problems as
select p.id, p.rows
  from (select import_id as id, sum(rows) as rows from import_problems group by import_id) p
 where p.rows > coalesce((select sum(iif(r.finished_at is null, p.rows, json_extract(r.totals, '$.rows.read')))
                            from imports r where r.retry_of = p.id), 0);
