import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Corrections, doCorrecting } from '../../src/features/correct/corrections.ts';
import { askedReplacement, type CorrectionRow } from '../../src/features/correct/operations.ts';
import { newImportId } from '../../src/imports/import-id.ts';
import { type ImportOptions, readOptions } from '../../src/imports/import-options.ts';
import { openImportReader } from '../../src/imports/report/import-reader.ts';
import { reportPieces } from '../../src/imports/report/report-files.ts';
import { csvLine } from '../../src/text/csv-line.ts';
import { runs } from '../runs.ts';
import { tempDir } from '../temp-dir.ts';
import { EMBEDDED, openPipeline, type Pipeline } from './pipeline-harness.ts';
import { textRows, xlsx } from './read/make-workbook.ts';

type Edit = readonly [line: number, column: string, value: string | null];
type Cells = Readonly<Record<string, unknown>>;

const openOne = () => openPipeline({ place: EMBEDDED });
const CORRECTABLE = { states: ['open', 'wrong', 'ready'] } as const;

const correctionsOf = ({ coordinator, dir }: Pipeline) => new Corrections({ coordinator, dir });

async function rowsOf(pipeline: Pipeline, id: string): Promise<CorrectionRow[]> {
  return (await correctionsOf(pipeline).do(id, 'page', CORRECTABLE, 0, 500)).rows;
}

/** Edits rows by the line that a person sees. @returns these rows as they are then */
async function edit(pipeline: Pipeline, id: string, ...edits: readonly Edit[]): Promise<CorrectionRow[]> {
  const { columns } = await correctionsOf(pipeline).do(id, 'overview');
  const rows = await rowsOf(pipeline, id);
  const given = edits.map(([line, column, value]) => {
    const { row = 0, cells, edits: own } = rows.find((one) => one.line === line) ?? {};
    const was = own?.[column] ?? cells?.[columns.findIndex(({ name }) => name === column)] ?? null;
    return { row, column, was, value };
  });
  const { refused } = await correctionsOf(pipeline).do(id, 'edit', given, 'ann');
  expect(refused).toEqual([]);
  return (await rowsOf(pipeline, id)).filter(({ line }) => edits.some(([edited]) => edited === line));
}

/** A corrected report that is given back. */
const file = (content: string | Uint8Array, name = 'fixed.csv') => ({ bytes: Buffer.from(content), name });

async function send(pipeline: Pipeline, id: string): Promise<string> {
  const child = await correctionsOf(pipeline).send(id, 'ann');
  expect((await pipeline.coordinator.settled(child)).state).toBe('completed');
  return child;
}

/** The report of the invalid rows, as people download it. */
function reportOf(pipeline: Pipeline, id: string): string {
  const reader = openImportReader(pipeline.dir.ledger(id));
  const summary = pipeline.summary(id);
  const lines = reportPieces(reader, {
    form: 'csv',
    filter: { status: ['invalid'] },
    summary,
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
/** The fifth part of them come from a page that shows another value. */
const isStale = fc.nat(4).map((n) => n === 0);
const change = fc.oneof(
  fc.tuple(fc.nat(60), isStale, fc.constant('uid'), fc.oneof(id, fc.constantFrom('eve', 'fay'))),
  fc.tuple(fc.nat(60), isStale, fc.constant('role'), scope),
  fc.tuple(fc.nat(60), isStale, fc.constant('guid'), fc.constant('choir')),
  fc.tuple(fc.nat(60), isStale, fc.constant('note'), note),
);
const COLUMNS = ['guid', 'uid', 'role', 'note'] as const;

test('what is sent is the row as the file had it with the edits that were taken, and nothing else', async () => {
  const pipeline = await openOne();
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('csv', 'ndjson'),
      fc.array(cells, { minLength: 3, maxLength: 60 }),
      fc.array(change, { minLength: 1, maxLength: 100 }),
      async (format, rows, changes) => {
        const isCsv = format === 'csv';
        const text = isCsv
          ? [[...COLUMNS], ...rows.map((row) => COLUMNS.map((name) => row[name]))]
              .map((line) => csvLine(line, ','))
              .join('')
          : rows.map((row) => `${JSON.stringify(row)}\n`).join('');
        const parent = await pipeline.run(text, { format });
        const before = pipeline.rows(parent.id);
        const open = await rowsOf(pipeline, parent.id);
        if (open.length === 0) return;
        const last = new Map(open.map(({ row }) => [row, new Map<string, string>()]));
        const refused: string[] = [];
        const edits = changes.map(([at, stale, column, value]) => {
          const { row = 0, cells: own = [] } = open[at % open.length] ?? {};
          const inFile = own[COLUMNS.indexOf(column)] ?? '';
          const now = last.get(row)?.get(column) ?? inFile;
          if (stale && value !== now) refused.push(now);
          else if (value === inFile) last.get(row)?.delete(column);
          else last.get(row)?.set(column, value);
          return { row, column, was: stale ? 'what it never was' : now, value };
        });
        const answer = await correctionsOf(pipeline).do(parent.id, 'edit', edits, 'ann');
        expect(answer.refused.map(({ now }) => now)).toEqual(refused);
        const ready = (await rowsOf(pipeline, parent.id)).filter(({ state }) => state === 'ready');
        const { rows: counted } = await correctionsOf(pipeline).do(parent.id, 'overview');
        expect(counted).toMatchObject({ total: open.length, ready: ready.length });
        if (ready.length === 0) return;

        const child = await send(pipeline, parent.id);
        expect(pipeline.counts(child)).toMatchObject({ read: ready.length, invalid: 0 });
        checksOut(pipeline, child);
        const sent = originals(pipeline, child, isCsv);
        const was = originals(pipeline, parent.id, isCsv);
        expect([...sent.keys()].toSorted()).toEqual(ready.map(({ line }) => String(line)).toSorted());
        for (const { row, line } of ready) {
          const own = last.get(row) ?? new Map();
          const { edited, ...now } = sent.get(String(line)) ?? {};
          const { edited: _, ...then } = was.get(String(line)) ?? {};
          expect(now).toEqual({ ...then, ...Object.fromEntries(own) });
          expect(String(edited).split(', ').toSorted()).toEqual([...own.keys()].toSorted());
        }
        expect(pipeline.rows(parent.id)).toEqual(before);
        checksOut(pipeline, parent.id);
      },
    ),
    { numRuns: runs(20) },
  );
});

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

test('of many rows that give several memberships, all are sent: none is lost between the pieces in which they are written', async () => {
  const pipeline = await openOne();
  const lines = Array.from({ length: 7_000 }, (_, index) => `te am;solo,user-${index}\n`);
  const options: Partial<ImportOptions> = { shape: { split: { guid: ';' } }, format: 'csv' };
  const { id: parent } = await pipeline.run(`guid,uid\n${lines.join('')}`, options);
  const request = askedReplacement.parse({ column: 'guid', from: 'te am;solo', to: 'team;solo' });
  expect(await correctionsOf(pipeline).do(parent, 'replace', request, 'ann')).toMatchObject({ ready: 7_000 });
  expect(pipeline.counts(await send(pipeline, parent))).toMatchObject({ read: 7_000, added: 7_000 });
});

test('a row that gives several memberships is edited as one, under the number of the first', async () => {
  const pipeline = await openOne();
  const options: Partial<ImportOptions> = { shape: { split: { guid: ';' } }, format: 'csv' };
  const { id: parent } = await pipeline.run('guid,uid\nchoir;te am,ada\n', options);
  expect(await rowsOf(pipeline, parent)).toMatchObject([{ row: 1, line: 2 }]);
  const empty = [{ state: 'wrong', problems: [{ code: 'EMPTY' }] }];
  expect(await edit(pipeline, parent, [2, 'guid', ''], [2, 'uid', ''])).toMatchObject(empty);
  await edit(pipeline, parent, [2, 'guid', null], [2, 'uid', null]);
  const given = [{ row: 2, column: 'guid', was: 'choir;te am', value: 'team' }];
  await expect(correctionsOf(pipeline).do(parent, 'edit', given, 'ann')).rejects.toMatchObject({
    code: 'BAD_OPTION',
    facts: expect.objectContaining({ field: 'row' }),
  });
});

test('a row with too few or too many cells waits until someone has said what belongs there', async () => {
  const pipeline = await openOne();
  const { id: parent } = await pipeline.run('guid,note,uid\nchoir,a\nchoir,x,ben,y\nchoir,z,ok\n');
  expect(pipeline.counts(parent)).toMatchObject({ added: 1, invalid: 2 });
  const [short] = await edit(pipeline, parent, [2, 'note', 'b']);
  expect(short).toMatchObject({
    cells: ['choir', 'a', null, null],
    state: 'wrong',
    problems: [{ code: 'CELL_COUNT' }, { code: 'EMPTY' }],
  });
  expect(await edit(pipeline, parent, [2, 'uid', 'ada'])).toMatchObject([{ state: 'ready' }]);
  expect(await edit(pipeline, parent, [3, 'note', 'x,y'])).toMatchObject([{ state: 'wrong' }]);
  expect(await edit(pipeline, parent, [3, '_extra_1', ''])).toMatchObject([{ state: 'ready' }]);
  expect(pipeline.counts(await send(pipeline, parent))).toMatchObject({ read: 2, added: 2 });
});

test('a key that occurs twice waits until someone has said which one counts; numbers stay as they were written', async () => {
  const pipeline = await openOne();
  const text = '{"guid":"choir","uid":"ada","uid":"ben","n":12345678901234567890.10}\n{"guid":"choir","uid":"cyd"}\n';
  const { id: parent } = await pipeline.run(text, { format: 'ndjson' });
  expect(await edit(pipeline, parent, [1, 'n', '7'])).toMatchObject([{ problems: [{ code: 'REPEATED_KEY' }] }]);
  expect(await edit(pipeline, parent, [1, 'n', null], [1, 'uid', 'ada'])).toMatchObject([{ state: 'ready' }]);
  const [row] = pipeline.rows(await send(pipeline, parent));
  expect(row?.original).toContain('"n":12345678901234567890.10');
});

test('a corrected report gives the edits: rows by their number, cells that differ', async () => {
  const pipeline = await openOne();
  const { id: parent } = await pipeline.run('guid,uid,note\nchoir,a b,=1+1\nchoir,c d,x\nchoir,ok,\n');
  const report = reportOf(pipeline, parent);
  const corrections = correctionsOf(pipeline);
  expect(await corrections.do(parent, 'takeFile', file(report), 'ann')).toMatchObject({ rows: 0, cells: 0, same: 2 });
  // Saved by a spreadsheet that uses decimal commas.
  const saved = `\uFEFF${report.replace('a b', 'ada').replace('c d', 'c!d').replaceAll(',', ';').replaceAll('\n', '\r\n')}`;
  expect(await corrections.do(parent, 'takeFile', file(saved), 'ann')).toMatchObject({
    rows: 2,
    cells: 2,
    wrong: [{ line: 3, problems: [{ column: 'uid', code: 'BAD_CHARACTER' }] }],
    counts: { ready: 1, wrong: 1 },
  });
  await expect(corrections.do(parent, 'takeFile', file('guid,uid\nchoir,ada\n'), 'ann')).rejects.toMatchObject({
    code: 'CANNOT_CORRECT',
  });
  await expect(corrections.do(parent, 'takeFile', file('guid,uid,_row\nchoir,ada,99\n'), 'ann')).rejects.toMatchObject({
    code: 'CANNOT_CORRECT',
  });
  const child = await send(pipeline, parent);
  expect(pipeline.rows(child).map(({ uid }) => uid)).toEqual(['ada']);
  // Without an id the command takes the newest import, which is the retry.
  await expect(corrections.do(child, 'takeFile', file(report), 'ann')).rejects.toMatchObject({
    code: 'CANNOT_CORRECT',
    what: expect.stringContaining(child),
    remedy: expect.stringContaining(parent),
  });
});

test('a corrected workbook gives the same edits as a corrected CSV file', async () => {
  const pipeline = await openOne();
  const { id: parent } = await pipeline.run('guid,uid,note\nchoir,a b,007\nchoir,c d,x\n');
  const rows = [
    ['guid', 'uid', 'note', '_row', '_status'],
    ['choir', 'ada', '007', '2', 'invalid'],
    ['choir', 'c d', 'x', '3', 'invalid'],
  ];
  const taken = await correctionsOf(pipeline).do(
    parent,
    'takeFile',
    file(xlsx({ sheets: [{ name: 'Rows', rows: textRows(rows) }] }), 'fixed.xlsx'),
    'ann',
  );
  expect(taken).toMatchObject({ rows: 1, cells: 1, same: 1, refusedRows: 0, counts: { ready: 1 } });
  expect(pipeline.rows(await send(pipeline, parent)).map(({ uid }) => uid)).toEqual(['ada']);
});

describe('two people', () => {
  const openTwo = async () => {
    const pipeline = await openOne();
    const { id: parent } = await pipeline.run('guid,uid\nchoir,a b\nchoir,c d\nchoir,e f\n');
    const corrections = correctionsOf(pipeline);
    const change = (by: string, ...edits: readonly (readonly [row: number, was: string, value: string | null])[]) =>
      corrections.do(
        parent,
        'edit',
        edits.map(([row, was, value]) => ({ row, column: 'uid', was, value })),
        by,
      );
    const values = async () => (await rowsOf(pipeline, parent)).map(({ edits }) => edits['uid']);
    return { pipeline, parent, corrections, change, values };
  };

  test('never overwrite each other: an edit of a value that is not there any more says who changed it, and the others are made', async () => {
    const { change, values } = await openTwo();
    await change('ann', [1, 'a b', 'ada']);
    const { refused } = await change('bob', [1, 'a b', 'bea'], [2, 'c d', 'cyd'], [3, 'e f', 'eve']);
    expect(refused).toEqual([
      { row: 1, line: 2, column: 'uid', value: 'bea', now: 'ada', reason: expect.stringContaining('ann'), sentIn: [] },
    ]);
    expect(await values()).toEqual(['ada', 'cyd', 'eve']);
    // The same value, or an answer that was lost: nothing is overwritten.
    expect((await change('bob', [1, 'a b', 'ada'], [1, 'ada', 'bea'])).refused).toEqual([]);
    expect((await change('ann', [1, 'ada', null])).refused).toMatchObject([{ now: 'bea' }]);
    expect(await values()).toEqual(['bea', 'cyd', 'eve']);
  });

  test('send what they have looked at: not once the other has edited a row', async () => {
    const { pipeline, parent, corrections, change } = await openTwo();
    const seen = await change('ann', [1, 'a b', 'ada']);
    await change('bob', [2, 'c d', 'cyd']);
    await expect(corrections.send(parent, 'ann', seen.revision)).rejects.toMatchObject({ code: 'CANNOT_CORRECT' });
    const { revision, rows } = await corrections.do(parent, 'overview');
    expect(rows).toMatchObject({ ready: 2, sent: 0 });
    const child = await corrections.send(parent, 'ann', revision);
    await pipeline.coordinator.settled(child);
    expect(pipeline.counts(child)).toMatchObject({ read: 2 });
    // What was sent is closed; the rest is not held back by it.
    const { refused, counts } = await change('bob', [1, 'ada', 'bea'], [3, 'e f', 'eve']);
    expect(refused).toMatchObject([{ row: 1, sentIn: [child] }]);
    expect(counts).toEqual({ ready: 1, wrong: 0, sent: 2 });
  });

  test('a corrected file replaces what its sender entered before, and nothing of the other', async () => {
    const { parent, corrections, change, values } = await openTwo();
    const give = (...uids: readonly string[]) => {
      const lines = uids.map((uid, at) => `choir,${uid},${at + 2}`);
      return corrections.do(parent, 'takeFile', file(['guid,uid,_row', ...lines].join('\n')), 'ann');
    };
    await change('bob', [1, 'a b', 'bea']);
    expect(await give('ada', 'c!d', 'e f')).toMatchObject({
      rows: 1,
      same: 1,
      refused: [{ line: 2, value: 'ada', now: 'bea', reason: expect.stringContaining('bob') }],
      refusedRows: 1,
      wrong: [{ line: 3 }],
    });
    // As the file was, row 1 is not corrected: the other's edit stays.
    expect(await give('a b', 'cyd', 'e f')).toMatchObject({ rows: 1, same: 2, refused: [], counts: { ready: 2 } });
    expect(await values()).toEqual(['bea', 'cyd', undefined]);
  });
});

test('a row that a corrected report has on several lines takes the edit of any of them, and refuses two that differ', async () => {
  const pipeline = await openOne();
  const options: Partial<ImportOptions> = { shape: { split: { guid: ';' } }, format: 'csv' };
  const { id: parent } = await pipeline.run('guid,uid\nte am;so lo,ada\n', options);
  const report = reportOf(pipeline, parent);
  expect(report.match(/"te am;so lo",ada/g)).toHaveLength(2);
  const corrections = correctionsOf(pipeline);
  expect(
    await corrections.do(parent, 'takeFile', file(report.replace('te am;so lo', 'team;solo')), 'ann'),
  ).toMatchObject({
    rows: 1,
    cells: 1,
    same: 0,
    counts: { ready: 1 },
  });
  const twice = report.replace('te am;so lo', 'team;duo').replace('te am;so lo', 'team;trio');
  await expect(corrections.do(parent, 'takeFile', file(twice), 'ann')).rejects.toThrow('"team;trio"');
});

test('a process that dies while rows are sent sends each of them once', async () => {
  const pipeline = await openOne();
  const { id: parent } = await pipeline.run('guid,uid\nchoir,a b\nchoir,c d\n');
  await edit(pipeline, parent, [2, 'uid', 'ada'], [3, 'uid', 'cyd']);
  const subject = {
    id: parent,
    retryOf: null,
    folder: pipeline.dir.folder(parent),
    options: readOptions(pipeline.coordinator.find(parent)),
    takenBy: [],
  };
  const again = async () => {
    await pipeline.stop();
    await pipeline.restart();
  };
  await again();
  expect(await correctionsOf(pipeline).do(parent, 'overview')).toMatchObject({
    rows: { ready: 2 },
    maySend: true,
  });

  // Before the import was made: the rows are free again.
  await doCorrecting(subject, 'claim', 'never-made', join(tempDir(), 'input'));
  await again();
  expect(await correctionsOf(pipeline).do(parent, 'overview')).toMatchObject({
    rows: { ready: 2, sent: 0 },
  });

  // After it was made: they are sent, also when that import is deleted later.
  const child = newImportId();
  const source = join(pipeline.dir.folder(child), 'input');
  mkdirSync(pipeline.dir.folder(child), { recursive: true });
  const options = await doCorrecting(subject, 'claim', child, source);
  await pipeline.coordinator.create({
    id: child,
    file: 'x.csv',
    source,
    options: options ?? subject.options,
    retryOf: parent,
  });
  await again();
  await pipeline.coordinator.continueAll();
  expect(await pipeline.coordinator.settled(child)).toMatchObject({ state: 'completed' });
  expect(pipeline.counts(child)).toMatchObject({ read: 2, added: 2 });
  await expect(correctionsOf(pipeline).send(parent, 'ann')).rejects.toMatchObject({ code: 'NOTHING_TO_SEND' });
  await pipeline.coordinator.remove(child);
  await expect(correctionsOf(pipeline).send(parent, 'ann')).rejects.toMatchObject({ code: 'NOTHING_TO_SEND' });
});

test('a big import is corrected in a thread, with the same answers and refusals', async () => {
  const pipeline = await openOne();
  const rows = 600;
  const { id: parent } = await pipeline.run(`guid,uid\n${'choir,a b\n'.repeat(rows)}choir,c d\n`);
  // A ledger is big by its bytes, whatever is in them.
  const ledger = new DatabaseSync(pipeline.dir.ledger(parent));
  ledger.exec('create table padding as select zeroblob(17 * 1024 * 1024)');
  ledger.close();
  const corrections = correctionsOf(pipeline);
  expect((await rowsOf(pipeline, parent)).length).toBe(500);
  await expect(
    corrections.do(parent, 'edit', [{ row: 1, column: 'nope', was: '', value: 'x' }], 'ann'),
  ).rejects.toMatchObject({
    code: 'BAD_OPTION',
    facts: { field: 'column' },
  });
  const replaced = await corrections.do(
    parent,
    'replace',
    askedReplacement.parse({ column: 'uid', from: 'a b', to: 'ada' }),
    'ann',
  );
  expect(replaced).toMatchObject({ rows, ready: rows, counts: { ready: rows } });
  expect(await corrections.do(parent, 'overview')).toMatchObject({ rows: { total: rows + 1, ready: rows } });
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
    problems: [{ code: 'ADDED_AND_BANNED', column: 'role' }],
  });
  const states = async () => (await rowsOf(pipeline, parent)).map(({ line, state }) => [line, state]);
  const before = await states();

  await edit(pipeline, parent, [3, 'uid', 'annb']);
  const all = [
    [2, 'ready'],
    [3, 'ready'],
    [4, 'ready'],
    [5, 'open'],
    [6, 'open'],
  ];
  expect(await states()).toEqual(all);
  await edit(pipeline, parent, [3, 'uid', null]);
  expect(await states()).toEqual(before);

  const taken = await correctionsOf(pipeline).do(
    parent,
    'takeFile',
    file('uid,guid,role,note,_row\nanna,g1,participant,,2\nannb,g1,ban,x,3\nanna,g1,admin,,4\n'),
    'ann',
  );
  expect(taken).toMatchObject({ rows: 1, cells: 1, same: 2, counts: { ready: 3 } });
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
  expect(back.find(({ line }) => line === 6)).toMatchObject({
    state: 'open',
    problems: [{ code: 'ADDED_AND_BANNED' }],
  });
});

test('rows whose texts become one id are judged together, too', async () => {
  const pipeline = await openOne();
  const { id: merged } = await pipeline.run('uid,room\nanna,Team A\nben,Team-A\ncyd,Team A\n', {
    shape: { templates: { guid: '{room|slug}' } },
    format: 'csv',
  });
  expect(pipeline.counts(merged)).toMatchObject({ invalid: 3 });
  await edit(pipeline, merged, [3, 'room', 'Team B']);
  expect((await rowsOf(pipeline, merged)).map(({ line, state }) => [line, state])).toEqual([
    [2, 'ready'],
    [3, 'ready'],
    [4, 'ready'],
  ]);
  expect(pipeline.counts(await send(pipeline, merged))).toMatchObject({ added: 3 });
});

test('rows of many pieces are corrected together, or not at all', async () => {
  const pipeline = await openOne();
  const rows = 1_100;
  const fill = (uid: (row: number) => string) => Array.from({ length: rows }, (_, row) => uid(row + 2));
  const { id: parent } = await pipeline.run(
    `guid,uid,role\n${fill((line) => `choir,${line === 2 || line === rows + 1 ? 'anna' : `u ${line}`},${line === 2 ? 'ban' : ''}\n`).join('')}`,
  );
  expect(pipeline.counts(parent)).toMatchObject({ invalid: rows });
  const corrections = correctionsOf(pipeline);
  const fixed = fill((line) => `choir,${line === 2 || line === rows + 1 ? 'anna' : `u${line}`},${line}\n`);
  const take = (lines: readonly string[]) =>
    corrections.do(parent, 'takeFile', file(`guid,uid,_row\n${lines.join('')}`), 'ann');
  const untouched = { rows: { total: rows, ready: 0, wrong: 0 }, revision: 0 };
  await expect(take([...fixed, 'choir,ada,9999\n'])).rejects.toMatchObject({ code: 'CANNOT_CORRECT' });
  expect(await corrections.do(parent, 'overview')).toMatchObject(untouched);
  const given = fill((line) => `u ${line}`).map((was, at) => ({ row: at + 1, column: 'uid', was, value: 'ada' }));
  await expect(
    corrections.do(parent, 'edit', [...given, { row: 9999, column: 'uid', was: '', value: 'ada' }], 'ann'),
  ).rejects.toMatchObject({ code: 'BAD_OPTION' });
  expect(await corrections.do(parent, 'overview')).toMatchObject(untouched);

  expect(await take(fixed)).toMatchObject({ rows: rows - 2, cells: rows - 2, same: 2, ready: rows - 2, wrong: [] });
  // What two rows contradict in each other is found however many rows are between them.
  const last = { row: rows, column: 'role', was: '', value: 'admin' };
  expect(await corrections.do(parent, 'edit', [last], 'ann')).toMatchObject({
    ready: 0,
    wrong: [{ line: rows + 1, problems: [{ code: 'ADDED_AND_BANNED' }] }],
  });
  const back = Array.from({ length: rows }, (_, at) => ({
    row: at + 1,
    column: 'uid',
    was: `u${at + 2}`,
    value: `v${at + 2}`,
  }));
  const both = [...back.slice(1, -1), { row: 1, column: 'uid', was: 'anna', value: 'bea' }];
  expect(await corrections.do(parent, 'edit', both, 'ann')).toMatchObject({
    rows: rows - 1,
    ready: rows - 1,
    refused: [],
    counts: { ready: rows },
  });
});
