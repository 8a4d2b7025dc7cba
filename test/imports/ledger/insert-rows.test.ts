import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { InputRow } from '../../../src/imports/read/input-row.ts';
import { IMPORT_SCHEMA } from '../../../src/imports/schemas.ts';
import { cut } from '../../../src/imports/stage/cut.ts';
import { REMEMBERED_CALL_GROUPS, rowInserter } from '../../../src/imports/stage/row-writer.ts';
import { ACTIONS, REGIONS, SCOPES } from '../../../src/membership/membership.ts';
import { openForStaging } from '../../../src/platform/sqlite.ts';
import { ANY_CHARACTER } from '../../any-character.ts';
import { runs } from '../../runs.ts';
import { tempDir } from '../../temp-dir.ts';
import { EMPTY_UID, rowAt } from './staged-import.ts';

const row = fc.record({
  region: fc.constantFrom(...REGIONS),
  guid: fc.stringMatching(/^[A-Za-z0-9_-]{0,2}$/),
  uid: fc.stringMatching(/^[A-Za-z0-9_-]{1,20}$/),
  scope: fc.constantFrom(...SCOPES),
  action: fc.constantFrom(...ACTIONS),
  onBehalfOf: fc.stringMatching(/^[ab]{0,1}$/),
  problems: fc.constantFrom([], [], [], [EMPTY_UID], [EMPTY_UID, { ...EMPTY_UID, code: 'UNKNOWN_REGION' as const }]),
});

/** Writes chunks of rows, and reads them from the ledger. */
function written(chunks: readonly (readonly InputRow[])[]) {
  const database = openForStaging(join(tempDir(), 'ledger.sqlite'), IMPORT_SCHEMA);
  const inserter = rowInserter(database);
  for (const chunk of chunks) inserter.insert(chunk);
  inserter.finish();
  const rows = database
    .prepare(`
      select r.line, x.name as region, coalesce(g.guid, i.guid) as guid, r.uid, coalesce(s.name, i.scope) as scope, a.name as action,
             cg.on_behalf_of as onBehalfOf, r.original, (select json_group_array(code) from problems p where p.row_id = r.id) as problems
        from rows r left join regions x on x.id = r.region_id left join groups g on g.id = r.group_id
        left join call_groups cg on cg.id = r.call_group_id left join actions a on a.id = cg.action_id
        left join scopes s on s.id = r.scope_id left join invalid_rows i on i.row_id = r.id
       order by r.id`)
    .all();
  database.close();
  return rows;
}

test('rows come out of the ledger as they went in; of an invalid row what could be read of it', () => {
  fc.assert(
    fc.property(fc.array(row), fc.array(fc.string({ unit: ANY_CHARACTER })), fc.nat(20), (wantedRows, notes, cut) => {
      const rows = wantedRows.map((wanted, index) => ({
        ...rowAt(index, wanted),
        original: JSON.stringify([notes[index] ?? '']),
      }));
      const came = written([rows.slice(0, cut), rows.slice(cut)]);
      const spelling = new Map<string, string>();
      const asFirst = (name: string, spelled: string) => {
        const known = spelling.get(name.toLowerCase()) ?? spelled;
        spelling.set(name.toLowerCase(), known);
        return known;
      };
      expect(came).toEqual(
        rows.map(({ line, region, guid, uid, scope, action = 'add', onBehalfOf, original, problems }) => {
          if (problems.length > 0) {
            const known = problems.length > 1 ? null : region;
            const none = { action: null, onBehalfOf: null };
            const codes = JSON.stringify(problems.map(({ code }) => code));
            return { line, region: known, guid, uid, scope, ...none, original, problems: codes };
          }
          const kept = action === 'remove' || action === 'unban' ? null : scope;
          const group = asFirst(`${region} ${guid}`, guid);
          return {
            line,
            region,
            guid: group,
            uid,
            scope: kept,
            action,
            onBehalfOf,
            original,
            problems: '[]',
          };
        }),
      );
    }),
    { numRuns: runs(100) },
  );
});

test('more groups than are remembered: each row is in its own, and batches have their turns in order when a group comes again', () => {
  const team = (count: number) => Array.from({ length: count }, (_, index) => (index % 2 === 0 ? 'team' : 'TEAM'));
  const others = Array.from({ length: REMEMBERED_CALL_GROUPS }, (_, index) => `g${index}`);
  const guids = [...team(60), ...others, ...team(60)];
  const rows = guids.map((guid, index) => rowAt(index, { guid }));
  const path = join(tempDir(), 'ledger.sqlite');
  const database = openForStaging(path, IMPORT_SCHEMA);
  const inserter = rowInserter(database);
  inserter.insert(rows);
  cut(database, { format: 'csv', delimiter: ',', columns: [], recognised: {} }, inserter.finish());
  const batches = database
    .prepare(`
      select turn, size from batches b join call_groups cg on cg.id = b.call_group_id join groups g on g.id = cg.group_id
       where g.guid = 'team' order by turn`)
    .all();
  const groups = database.prepare('select g.guid from rows r join groups g on g.id = r.group_id order by r.id').all();
  database.close();
  expect(groups.map(({ guid }) => guid)).toEqual(guids.map((guid) => (guid === 'TEAM' ? 'team' : guid)));
  expect(batches).toEqual([25, 25, 25, 25, 20].map((size, turn) => ({ turn, size })));
});
