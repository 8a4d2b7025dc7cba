import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { strFromU8, unzipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { importSummary } from '../../src/api/import-summary.ts';
import { EXIT } from '../../src/cli/exit-codes.ts';
import { manyMembers, members, openSandboxPlace, openWorkplace, type SandboxPlace } from './workplace.ts';

const FORMULA = '=HYPERLINK("https://evil.example","x")';

/** A finished import: one row added, one failed, one invalid, one duplicate. */
async function finished(): Promise<SandboxPlace> {
  const place = await openSandboxPlace({ seed: { users: ['ann'], groups: ['g'] } });
  const quoted = `"${FORMULA.replaceAll('"', '""')}"`;
  const file = place.file('m.csv', `guid,uid,scope,note\ng,ann,,${quoted}\ng,late,,\ng,not an id,,\ng,ANN,,\n`);
  const { code } = await place.run(['import', file]);
  expect(code).toBe(EXIT.rowsFailed);
  // Nothing has changed since the service refused it.
  return place;
}

describe('report', () => {
  test('gives every row in the order of the input, in every format, to standard output or to a file', async () => {
    const place = await finished();
    const csv = await place.run(['report']);
    const statuses = ['added', 'failed', 'invalid', 'duplicate'];
    const rows: Record<string, string>[] = parse(csv.stdout, { columns: true, bom: true });
    expect(rows.map((row) => row['_status'])).toEqual(statuses);
    expect(rows.map((row) => row['_row'])).toEqual(['2', '3', '4', '5']);
    expect(csv.stderr).toBe('');
    expect(rows[0]?.['note']).toBe(FORMULA);

    const json = JSON.parse((await place.run(['report', '--format', 'json'])).stdout);
    expect(importSummary.parse(json.summary).rows).toMatchObject({ read: 4, added: 1 });
    expect(json.rows.map((row: { _status: string }) => row._status)).toEqual(statuses);
    expect(json.rows[0].input.note).toBe(FORMULA);

    const ndjson = await place.run(['report', '--format', 'ndjson', '--output', 'rows.ndjson']);
    expect([ndjson.stdout, ndjson.stderr]).toEqual(['', 'Written to rows.ndjson.\n']);
    const lines = readFileSync(join(place.root, 'rows.ndjson'), 'utf8').trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line)._status)).toEqual(statuses);
    const html = await place.run(['report', '--format', 'html']);
    expect(html.stdout).toMatch(/^<!doctype html>/i);
  });

  test('names the message that the service wrote about each addition, and how many members the group had then', async () => {
    const place = await openSandboxPlace({ users: 0, seed: { users: ['ann', 'bob'], groups: ['g'] } });
    const rows = ['guid,uid,name,group_name', 'g,ann,Ann,', 'g,bob,Bob,', 'g,late,,', 'new,ann,Ann,New'];
    const file = place.file('m.csv', rows.join('\n'));
    const looked = await place.run(['import', file, '--create-groups', '--dry-run']);
    expect(looked.stdout.replaceAll('\n', ' ')).toContain('up to');
    const sent = await place.run(['import', file, '--create-groups']);
    expect(sent.stderr).toContain('4 messages');
    const { stdout } = await place.run(['report', '--format', 'ndjson']);
    const kept = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const id = expect.stringMatching(/^\d+$/);
    expect(kept).toMatchObject([
      { _status: 'added', _message_id: id, _member_count: 2 },
      { _status: 'added', _message_id: id, _member_count: 2 },
      { _status: 'failed', _message_id: '', _member_count: null },
      { _status: 'added', _message_id: id, _member_count: 1 },
    ]);
    expect(new Set(kept.map((row) => row._message_id)).size).toBe(4);
  });

  test('--status chooses rows; --retryable gives those that may succeed, in the original columns; a file that cannot be written is named', async () => {
    const place = await finished();
    const chosen = await place.run(['report', '--status', 'invalid,duplicate', '--format', 'ndjson']);
    expect(
      chosen.stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)._row),
    ).toEqual([4, 5]);
    expect((await place.run(['report', '--retryable'])).stdout).toMatch(/^guid,uid,scope,note\r?\ng,late,,\r?\n$/);

    const { code, stderr } = await place.run(['report', '--output', 'nowhere/report.csv']);
    expect(code).toBe(EXIT.usage);
    expect(stderr).toMatch(/nowhere\/report\.csv.*--output \[OUTPUT_FAILED\]\n$/);
  });

  test('never takes the place of another file, unless it may', async () => {
    const place = await finished();
    place.file('members.csv', 'the only copy\n');
    expect(await place.run(['report', '--output', 'members.csv'])).toMatchObject({
      code: EXIT.usage,
      stderr: expect.stringMatching(/--overwrite \[OUTPUT_EXISTS\]\n$/),
    });
    expect(readFileSync(join(place.root, 'members.csv'), 'utf8')).toBe('the only copy\n');
    expect((await place.run(['report', '--output', 'members.csv', '--overwrite'])).code).toBe(EXIT.ok);
    const written = readFileSync(join(place.root, 'members.csv'), 'utf8');
    expect(written).toBe((await place.run(['report'])).stdout);
    expect((await place.run(['report', '--overwrite'])).stderr).toContain('[FLAG_NEEDS]');
    // Nothing can be lost there.
    expect((await place.run(['report', '--output', '/dev/null'])).code).toBe(EXIT.ok);
  });

  test('of a file that was refused says why there is none', async () => {
    const place = await openSandboxPlace();
    await place.run(['import', place.file('m.csv', 'guid,uid\n')]);
    const { code, stdout, stderr } = await place.run(['report']);
    expect([code, stdout]).toEqual([EXIT.usage, '']);
    expect(stderr).toContain('[NO_ROWS_YET]');
  });
});

describe('retry', () => {
  test('sends exactly what failed, and so does its file when it is imported', async () => {
    const place = await finished();
    const calls = place.calls();
    place.sandbox.addUser('us', 'late');
    const { code, summary } = await place.summary(['retry']);
    expect(code).toBe(EXIT.ok);
    expect(summary.rows).toMatchObject({ read: 1, added: 1 });
    // The question for the banned comes first.
    expect(place.calls()).toBe(calls + 2);
    expect([...place.sandbox.members('us', 'g').keys()]).toEqual(['ann', 'late']);

    expect(await place.run(['retry'])).toMatchObject({ code: EXIT.ok, stdout: '' });
    expect(place.calls()).toBe(calls + 2);

    const [, first] = JSON.parse((await place.run(['list', '--json'])).stdout);
    const again = await place.summary(['import', first.reports.retry]);
    expect(again.summary.rows).toMatchObject({ read: 1, already_member: 1 });
  });

  test('--edits sends the rows that were corrected in failed.csv, and leaves the others to a retry', async () => {
    const place = await openSandboxPlace({ seed: { users: ['ann', 'bob'], groups: ['g'] } });
    place.file(
      'm.csv',
      members([
        ['g', 'ann'],
        ['g', 'b ob'],
        ['g', 'nobody'],
        ['g', 'no one'],
      ]),
    );
    const first = await place.summary(['import', 'm.csv']);
    const report = await place.run(['report', '--status', 'failed,invalid']);
    place.file('fixed.csv', report.stdout.replace('b ob', 'bob').replace('no one', 'no-one!'));
    const { code, stderr, stdout } = await place.run(['retry', '--edits', 'fixed.csv', '--json']);
    expect(stderr).toContain('2 cells');
    expect(stderr).toMatch(/no-one!/);
    expect([code, JSON.parse(stdout).rows]).toEqual([EXIT.ok, expect.objectContaining({ read: 1, added: 1 })]);
    const rest = await place.summary(['retry', first.summary.id]);
    expect(rest.summary.rows).toMatchObject({ read: 1, failed: 1 });

    const again = await place.run(['retry', first.summary.id, '--edits', 'fixed.csv']);
    expect([again.code, again.stderr]).toEqual([EXIT.usage, expect.stringContaining('[BAD_USAGE]')]);
    const missing = await place.run(['retry', first.summary.id, '--edits', 'nowhere.csv']);
    expect([missing.code, missing.stderr]).toEqual([EXIT.usage, expect.stringContaining('nowhere.csv')]);
  });

  test('of an import into the sandbox stays there', async () => {
    const place = await openSandboxPlace();
    const seed = place.file('seed.json', '{"groups":["g"]}');
    const file = place.file('m.csv', members([['g', 'late']]));
    expect((await place.run(['import', file, '--sandbox-seed', seed])).code).toBe(EXIT.rowsFailed);
    const { code, stderr } = await place.run(['retry']);
    expect(code).toBe(EXIT.usage);
    expect(stderr).toMatch(/ retry \S+ --sandbox \[WRONG_TARGET\]$/m);
    expect(place.calls()).toBe(0);
  });
});

describe('list', () => {
  test('without imports says so, and how to start one', async () => {
    const place = await openWorkplace();
    const plain = await place.run(['list']);
    expect([plain.code, plain.stdout]).toEqual([EXIT.ok, '']);
    expect(plain.stderr).toContain('rollcall import');
    expect((await place.run(['list', '--json'])).stdout).toBe('[]\n');
  });

  test('shows imports, newest first, each as status shows it', async () => {
    const place = await finished();
    await place.run(['import', place.file('other.csv', members([['g', 'ann']]))]);
    const { stdout } = await place.run(['list']);
    const [head, newest, oldest, ...rest] = stdout.trimEnd().split('\n');
    expect(head).toMatch(/^id +state +rows +succeeded +problems +next +file$/);
    expect(newest).toMatch(/completed +1 +1 +0 +other\.csv$/);
    expect(oldest).toMatch(/completed +4 +1 +2 {2}Correct rows +m\.csv$/);
    expect(rest).toEqual([]);
    const listed = JSON.parse((await place.run(['list', '--limit', '1', '--json'])).stdout);
    const status = JSON.parse((await place.run(['status', '--json'])).stdout);
    expect(listed).toMatchObject([status]);
    // The file is written a moment before the import is closed.
    const { finishedAt, ...kept } = JSON.parse(readFileSync(summaryFile(place, status.id), 'utf8'));
    expect(importSummary.parse(status)).toMatchObject(kept);
    expect(Date.parse(status.finishedAt) - Date.parse(finishedAt)).toBeGreaterThanOrEqual(0);
  });
});

function summaryFile(place: SandboxPlace, id: string): string {
  return join(place.dataDir, 'imports', id, 'summary.json');
}

describe('standard output', () => {
  test('holds results alone, without escape codes; everything else goes to standard error', async () => {
    const place = await openSandboxPlace();
    const file = place.file('m.csv', manyMembers(60, 3));
    const { stdout, stderr } = await place.run(['import', file], { env: { TERM: 'xterm-256color' } });
    expect(stdout).toContain('60 rows');
    expect(`${stdout}${stderr}`).not.toContain('\u001b');
  });

  test('may be closed early, as head does', async () => {
    const place = await openSandboxPlace();
    await place.run(['import', place.file('m.csv', manyMembers(4_000, 10)), '--dry-run']);
    const run = place.start(['report']);
    run.child.stdout?.once('data', () => run.child.stdout?.destroy());
    const { code, stderr } = await run.ended;
    expect([code, stderr]).toEqual([EXIT.ok, '']);
  });
});

test('the report is exact, and for a spreadsheet a workbook of text cells', async () => {
  const place = await openSandboxPlace({ seed: { users: ['ann'], groups: ['g'] } });
  const file = place.file('m.csv', 'guid,uid,note\ng,ann,=1+1\ng,-5,"+39 55, =cmd(1)"\n');
  const { summary } = await place.summary(['import', file]);
  const csv = readFileSync(summary.reports.all ?? '', 'utf8');
  expect(csv).toContain('g,ann,=1+1,2,added');
  expect(csv).toContain('g,-5,"+39 55, =cmd(1)",3,');
  for (const [name, flags] of [
    ['safe.xlsx', ['--spreadsheet-safe']],
    ['same.xlsx', ['--format', 'xlsx']],
  ] as const) {
    expect((await place.run(['report', ...flags, '--output', name])).code).toBe(EXIT.ok);
    const sheet = strFromU8(
      unzipSync(readFileSync(join(place.root, name)))['xl/worksheets/sheet1.xml'] ?? new Uint8Array(),
    );
    expect(sheet).toContain('<c s="1" t="inlineStr"><is><t xml:space="preserve">=1+1</t></is></c>');
    expect(sheet).toContain('>+39 55, =cmd(1)<');
    expect(sheet).not.toContain('<f>');
  }
  // A workbook is read back as what was in the file.
  const again = await place.summary(['import', 'safe.xlsx']);
  expect(again.summary.rows).toMatchObject({ read: 2, already_member: 1, failed: 1 });
});
