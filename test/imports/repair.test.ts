import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type RepairRow, repairReplace } from '../../src/features/repair/api.ts';
import { doRepair } from '../../src/features/repair/repair-work.ts';
import { Repairs } from '../../src/features/repair/repairs.ts';
import { newImportId } from '../../src/imports/import-id.ts';
import { type ImportOptions, readOptions } from '../../src/imports/import-options.ts';
import { openImportReader } from '../../src/imports/report/import-reader.ts';
import { reportPieces } from '../../src/imports/report/report-files.ts';
import { csvLine } from '../../src/text/csv-line.ts';
import { EMBEDDED, openPipeline, type Pipeline } from './pipeline-harness.ts';

type Edit = readonly [line: number, column: string, value: string | null];
type Cells = Readonly<Record<string, unknown>>;

const openOne = () => openPipeline({ place: EMBEDDED });
const REPAIRABLE = { states: ['open', 'wrong', 'ready'] } as const;

const repairsOf = ({ coordinator, dir }: Pipeline) => new Repairs({ coordinator, dir });

async function rowsOf(pipeline: Pipeline, id: string): Promise<RepairRow[]> {
  return (await repairsOf(pipeline).page(id, REPAIRABLE, 0, 500)).rows;
}

/** Edits rows by the line that a person sees. */
async function edit(pipeline: Pipeline, id: string, ...edits: readonly Edit[]): Promise<RepairRow[]> {
  const byLine = new Map((await rowsOf(pipeline, id)).map(({ line, row }) => [line, row]));
  const given = edits.map(([line, column, value]) => ({ row: byLine.get(line) ?? 0, column, value }));
  return (await repairsOf(pipeline).change(id, 'edit', given, 'ann')).rows;
}

async function send(pipeline: Pipeline, id: string): Promise<string> {
  const child = await repairsOf(pipeline).send(id, 'ann');
  expect((await pipeline.coordinator.settled(child)).state).toBe('completed');
  return child;
}

/** The report of the invalid rows, as people download it. */
function reportOf(pipeline: Pipeline, id: string): string {
  const reader = openImportReader(pipeline.dir.ledger(id));
  const summary = pipeline.summary(id);
  const lines = reportPieces(reader, {
    form: 'csv',
    filter: { statuses: new Set(['invalid']) },
    summary,
    version: '1',
  });
  const report = [...lines].join('');
  reader.close();
  return report;
}

function checksOut({ dir }: Pipeline, id: string): void {
  const reader = openImportReader(dir.ledger(id));
  expect(reader.check().difference).toBe('');
  reader.close();
}

/** Returns the originals of rows, by their place. */
function originals(pipeline: Pipeline, id: string, isCsv: boolean): Map<string, Cells> {
  const reader = openImportReader(pipeline.dir.ledger(id));
  const { columns } = reader.input();
  reader.close();
  return new Map(
    pipeline.rows(id).map((row) => {
      const parsed = JSON.parse(row.original);
      const cells: Record<string, unknown> = isCsv
        ? Object.fromEntries(columns.map((name, index) => [name, parsed[index] ?? '']))
        : parsed;
      const { _from_row: from, _edited: edited, ...own } = cells;
      return [String(from ?? row.line), { ...own, edited }];
    }),
  );
}

const id = fc.constantFrom('ada', 'ben', 'cyd-1', 'a b', 'ü', '', ' dot ', '"quoted"', '=1+1', 'a,b', '-x', 'x\ny');
const scope = fc.constantFrom('', 'admin', 'chief', 'participant', 'Owner');
const note = fc.constantFrom('', 'x', "it's", 'a;b', '@sum(1)', '12345678901234567890', 'line\r\nline');
const cells = fc.record({ guid: fc.constantFrom('choir', 'choir', 'te am', ''), uid: id, role: scope, note });
const change = fc.oneof(
  fc.tuple(fc.nat(30), fc.constant('uid'), fc.oneof(id, fc.constantFrom('eve', 'fay'))),
  fc.tuple(fc.nat(30), fc.constant('role'), scope),
  fc.tuple(fc.nat(30), fc.constant('guid'), fc.constant('choir')),
  fc.tuple(fc.nat(30), fc.constant('note'), note),
);

test.each(['csv', 'ndjson'] as const)(
  'what is sent is the row as the file had it with its edits, and nothing else: %s',
  async (format) => {
    const pipeline = await openOne();
    const isCsv = format === 'csv';
    await fc.assert(
      fc.asyncProperty(
        fc.array(cells, { minLength: 3, maxLength: 12 }),
        fc.array(change, { minLength: 1, maxLength: 20 }),
        async (rows, changes) => {
          const columns = ['guid', 'uid', 'role', 'note'] as const;
          const text = isCsv
            ? [
                csvLine([...columns], ','),
                ...rows.map((row) =>
                  csvLine(
                    columns.map((name) => row[name]),
                    ',',
                  ),
                ),
              ].join('')
            : rows.map((row) => `${JSON.stringify(row)}\n`).join('');
          const parent = await pipeline.run(text, { format });
          const before = pipeline.rows(parent.id);
          const open = await rowsOf(pipeline, parent.id);
          if (open.length === 0) return;
          const edits = changes.map(([at, column, value]) => ({
            row: open[at % open.length]?.row ?? 0,
            column,
            value,
          }));
          for (const one of edits) await repairsOf(pipeline).change(parent.id, 'edit', [one], 'ann');
          const ready = (await rowsOf(pipeline, parent.id)).filter(({ state }) => state === 'ready');
          const { rows: counted } = await repairsOf(pipeline).overview(parent.id, 'ann');
          expect(counted).toMatchObject({ total: open.length, ready: ready.length });
          if (ready.length === 0) return;

          const child = await send(pipeline, parent.id);
          expect(pipeline.counts(child)).toMatchObject({ read: ready.length, invalid: 0 });
          checksOut(pipeline, child);
          const sent = originals(pipeline, child, isCsv);
          const was = originals(pipeline, parent.id, isCsv);
          expect([...sent.keys()].toSorted()).toEqual(ready.map(({ line }) => String(line)).toSorted());
          for (const { row, line } of ready) {
            const last = new Map(edits.filter((one) => one.row === row).map((one) => [one.column, one.value]));
            const { edited, ...now } = sent.get(String(line)) ?? {};
            const { edited: _, ...then } = was.get(String(line)) ?? {};
            expect(now).toEqual({ ...then, ...Object.fromEntries(last) });
            expect(String(edited).split(', ').toSorted()).toEqual([...last.keys()].toSorted());
          }
          expect(pipeline.rows(parent.id)).toEqual(before);
          checksOut(pipeline, parent.id);
        },
      ),
      { numRuns: 5 },
    );
  },
);

test('of a row that gives several memberships, only what is not in place is sent', async () => {
  const pipeline = await openOne();
  const options: Partial<ImportOptions> = { shape: { split: { guid: ';' } }, format: 'csv' };
  const { id: parent } = await pipeline.run('guid,uid\nchoir;te am,ada\nchoir,ben\n', options);
  expect(pipeline.counts(parent)).toMatchObject({ read: 3, added: 2, invalid: 1 });
  const [row] = await edit(pipeline, parent, [2, 'guid', 'choir;team;new']);
  expect(row).toMatchObject({ state: 'ready', cells: ['choir;te am', 'ada'] });
  const child = await send(pipeline, parent);
  expect(pipeline.rows(child).map(({ guid, uid, original }) => [guid, uid, JSON.parse(original).slice(-2)])).toEqual([
    ['team', 'ada', ['2', 'guid']],
    ['new', 'ada', ['2', 'guid']],
  ]);
  checksOut(pipeline, child);
});

test('a row that gives several memberships is edited as one, under the number of the first', async () => {
  const pipeline = await openOne();
  const options: Partial<ImportOptions> = { shape: { split: { guid: ';' } }, format: 'csv' };
  const { id: parent } = await pipeline.run('guid,uid\nchoir;te am,ada\n', options);
  expect(await rowsOf(pipeline, parent)).toMatchObject([{ row: 1, line: 2 }]);
  const repairs = repairsOf(pipeline);
  await expect(repairs.change(parent, 'edit', [{ row: 2, column: 'guid', value: 'team' }], 'ann')).rejects.toThrow(
    'row 2 has nothing to repair',
  );
});

test('a row with too few or too many cells waits until someone has said what belongs there', async () => {
  const pipeline = await openOne();
  const { id: parent } = await pipeline.run('guid,uid,note\nchoir,a b\nchoir,ben,x,y\nchoir,ok,z\n');
  expect(pipeline.counts(parent)).toMatchObject({ added: 1, invalid: 2 });
  const [short] = await edit(pipeline, parent, [2, 'uid', 'ada']);
  expect(short).toMatchObject({ cells: ['choir', 'a b', null, null], state: 'wrong', left: [{ code: 'CELL_COUNT' }] });
  expect(await edit(pipeline, parent, [2, 'note', ''])).toMatchObject([{ state: 'ready' }]);
  expect(await edit(pipeline, parent, [3, 'note', 'x,y'])).toMatchObject([{ state: 'wrong' }]);
  expect(await edit(pipeline, parent, [3, '_extra_1', ''])).toMatchObject([{ state: 'ready' }]);
  expect(pipeline.counts(await send(pipeline, parent))).toMatchObject({ read: 2, added: 2 });
});

test('a key that occurs twice waits until someone has said which one counts; numbers stay as they were written', async () => {
  const pipeline = await openOne();
  const text = '{"guid":"choir","uid":"ada","uid":"ben","n":12345678901234567890.10}\n{"guid":"choir","uid":"cyd"}\n';
  const { id: parent } = await pipeline.run(text, { format: 'ndjson' });
  expect(await edit(pipeline, parent, [1, 'n', '7'])).toMatchObject([{ left: [{ code: 'REPEATED_KEY' }] }]);
  expect(await edit(pipeline, parent, [1, 'n', null], [1, 'uid', 'ada'])).toMatchObject([{ state: 'ready' }]);
  const [row] = pipeline.rows(await send(pipeline, parent));
  expect(row?.original).toContain('"n":12345678901234567890.10');
});

test('a corrected report gives the edits: rows by their number, cells that differ', async () => {
  const pipeline = await openOne();
  const { id: parent } = await pipeline.run('guid,uid,note\nchoir,a b,=1+1\nchoir,c d,x\nchoir,ok,\n');
  const report = reportOf(pipeline, parent);
  const repairs = repairsOf(pipeline);
  expect(await repairs.change(parent, 'takeFile', report, 'ann')).toMatchObject({ rows: 0, cells: 0, same: 2 });
  // Saved by a spreadsheet that uses decimal commas.
  const saved = `\uFEFF${report.replace('a b', 'ada').replace('c d', 'c!d').replaceAll(',', ';').replaceAll('\n', '\r\n')}`;
  expect(await repairs.change(parent, 'takeFile', saved, 'ann')).toMatchObject({
    rows: 2,
    cells: 2,
    wrong: [{ line: 3, problems: [{ column: 'uid', code: 'BAD_CHARACTER' }] }],
    counts: { ready: 1, wrong: 1 },
  });
  await expect(repairs.change(parent, 'takeFile', 'guid,uid\nchoir,ada\n', 'ann')).rejects.toThrow(
    'the file has no column _row',
  );
  await expect(repairs.change(parent, 'takeFile', 'guid,uid,_row\nchoir,ada,99\n', 'ann')).rejects.toThrow(
    'the import has no row 99',
  );
  expect(pipeline.rows(await send(pipeline, parent)).map(({ uid }) => uid)).toEqual(['ada']);
});

test('a row that a corrected report has on several lines takes the edit of any of them, and refuses two that differ', async () => {
  const pipeline = await openOne();
  const options: Partial<ImportOptions> = { shape: { split: { guid: ';' } }, format: 'csv' };
  const { id: parent } = await pipeline.run('guid,uid\nte am;so lo,ada\n', options);
  const report = reportOf(pipeline, parent);
  expect(report.match(/"te am;so lo",ada/g)).toHaveLength(2);
  const repairs = repairsOf(pipeline);
  expect(await repairs.change(parent, 'takeFile', report.replace('te am;so lo', 'team;solo'), 'ann')).toMatchObject({
    rows: 1,
    cells: 1,
    same: 0,
    counts: { ready: 1 },
  });
  const twice = report.replace('te am;so lo', 'team;duo').replace('te am;so lo', 'team;trio');
  await expect(repairs.change(parent, 'takeFile', twice, 'ann')).rejects.toThrow(
    'row 2 is on several lines of the file, with "team;duo" and "team;trio" in guid',
  );
});

test('a process that dies while rows are sent sends each of them once', async () => {
  const pipeline = await openOne();
  const { id: parent } = await pipeline.run('guid,uid\nchoir,a b\nchoir,c d\n');
  await edit(pipeline, parent, [2, 'uid', 'ada'], [3, 'uid', 'cyd']);
  const subject = {
    folder: pipeline.dir.folder(parent),
    options: readOptions(pipeline.coordinator.find(parent)),
    isTaken: false,
  };
  const again = async () => {
    await pipeline.stop();
    await pipeline.restart();
  };
  await again();
  expect(await repairsOf(pipeline).overview(parent, 'ann')).toMatchObject({
    rows: { ready: 2 },
    maySend: true,
  });

  // Before the import was made: the rows are free again.
  await doRepair(subject, 'claim', 'never-made', 'ann');
  await again();
  expect(await repairsOf(pipeline).overview(parent, 'ann')).toMatchObject({
    rows: { ready: 2, sent: 0 },
    sends: [],
  });

  // After it was made: they are sent, also when that import is deleted later.
  const child = newImportId();
  const source = join(pipeline.dir.folder(child), 'input');
  mkdirSync(pipeline.dir.folder(child), { recursive: true });
  await doRepair(subject, 'claim', child, 'ann');
  const options = await doRepair(subject, 'write', child, source);
  await pipeline.coordinator.create({ id: child, file: 'x.csv', source, options, retryOf: parent });
  await again();
  await pipeline.coordinator.continueAll();
  expect(await pipeline.coordinator.settled(child)).toMatchObject({ state: 'completed' });
  expect(pipeline.counts(child)).toMatchObject({ read: 2, added: 2 });
  await expect(repairsOf(pipeline).send(parent, 'ann')).rejects.toThrow('has no repaired rows to send');
  await pipeline.coordinator.remove(child);
  await expect(repairsOf(pipeline).send(parent, 'ann')).rejects.toThrow('has no repaired rows to send');
});

test('a big import is repaired in a thread, with the same answers and refusals', async () => {
  const pipeline = await openOne();
  const rows = 600;
  const { id: parent } = await pipeline.run(`guid,uid\n${'choir,a b\n'.repeat(rows)}choir,c d\n`);
  // A ledger is big by its bytes, whatever is in them.
  const ledger = new DatabaseSync(pipeline.dir.ledger(parent));
  ledger.exec('create table padding as select zeroblob(17 * 1024 * 1024)');
  ledger.close();
  const repairs = repairsOf(pipeline);
  expect((await rowsOf(pipeline, parent)).length).toBe(500);
  await expect(repairs.change(parent, 'edit', [{ row: 1, column: 'nope', value: 'x' }], 'ann')).rejects.toMatchObject({
    code: 'CANNOT_REPAIR',
    facts: { field: 'column' },
  });
  const replaced = await repairs.change(
    parent,
    'replace',
    repairReplace.parse({ column: 'uid', from: 'a b', to: 'ada' }),
    'ann',
  );
  expect(replaced).toMatchObject({ rows, ready: rows, counts: { ready: rows } });
  expect(await repairs.overview(parent, 'ann')).toMatchObject({ rows: { total: rows + 1, ready: rows } });
  const child = await send(pipeline, parent);
  expect(pipeline.counts(child)).toMatchObject({ read: rows, added: 1, duplicate: rows - 1 });
  checksOut(pipeline, child);
});

test('a row that only another row made invalid is sent when that one is corrected, and waits again when it is restored', async () => {
  const pipeline = await openOne();
  const { id: parent } = await pipeline.run(
    'uid,guid,role,note\nanna,g1,participant,\nANNA,g1,ban,\nanna,g1,admin,\ncyd,g1,ban,\ncyd,g1,,\nbob,g1,,\n',
  );
  expect(pipeline.counts(parent)).toMatchObject({ added: 1, invalid: 5 });
  const asRead = (await rowsOf(pipeline, parent)).find(({ line }) => line === 2);
  expect(asRead).toMatchObject({ problems: [{ code: 'ADDED_AND_BANNED', column: 'role' }] });
  // A change that leaves both as they ask does not help.
  const still = await edit(pipeline, parent, [3, 'note', 'x']);
  expect(still.find(({ line }) => line === 3)).toMatchObject({
    state: 'wrong',
    left: [{ code: 'ADDED_AND_BANNED', column: 'role' }],
  });
  const states = async () => (await rowsOf(pipeline, parent)).map(({ line, state }) => [line, state]);
  const before = await states();

  const changed = await edit(pipeline, parent, [3, 'uid', 'annb']);
  const all = [
    [2, 'ready'],
    [3, 'ready'],
    [4, 'ready'],
    [5, 'open'],
    [6, 'open'],
  ];
  expect(changed.map(({ line, state }) => [line, state])).toEqual(all.slice(0, 3));
  expect(await states()).toEqual(all);
  await edit(pipeline, parent, [3, 'uid', null]);
  expect(await states()).toEqual(before);

  const taken = await repairsOf(pipeline).change(
    parent,
    'takeFile',
    'uid,guid,role,note,_row\nanna,g1,participant,,2\nannb,g1,ban,x,3\nanna,g1,admin,,4\n',
    'ann',
  );
  expect(taken).toMatchObject({ rows: 1, cells: 1, same: 2, freed: 2, counts: { ready: 3 } });
  const child = await send(pipeline, parent);
  expect(pipeline.rows(child).map(({ uid, status }) => [uid, status])).toEqual([
    ['anna', 'duplicate'],
    ['annb', 'banned'],
    ['anna', 'added'],
  ]);
  // Earlier rows count: no one is added and banned by two imports of one file.
  await edit(pipeline, parent, [6, 'uid', 'c d']);
  expect(pipeline.rows(await send(pipeline, parent)).map(({ uid }) => uid)).toEqual(['cyd']);
  const back = await edit(pipeline, parent, [6, 'uid', 'cyd']);
  expect(back.find(({ line }) => line === 6)).toMatchObject({ state: 'wrong', left: [{ code: 'ADDED_AND_BANNED' }] });
});

test('rows whose texts become one id are judged together, too', async () => {
  const pipeline = await openOne();
  const { id: merged } = await pipeline.run('uid,room\nanna,Team A\nben,Team-A\ncyd,Team A\n', {
    shape: { templates: { guid: '{room|slug}' } },
    format: 'csv',
  });
  expect(pipeline.counts(merged)).toMatchObject({ invalid: 3 });
  const rows = await edit(pipeline, merged, [3, 'room', 'Team B']);
  expect(rows.map(({ line, state }) => [line, state])).toEqual([
    [2, 'ready'],
    [3, 'ready'],
    [4, 'ready'],
  ]);
  expect(pipeline.counts(await send(pipeline, merged))).toMatchObject({ added: 3 });
});
