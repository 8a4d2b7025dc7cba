import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { EXIT } from '../../src/cli/exit-codes.ts';
import { members, openSandboxPlace, type SandboxPlace } from './workplace.ts';

const GOOD = members([['g', 'ann']]);

/** A quote opens at the start of line 50,000, which is row 49,999. */
function quoteThatNeverCloses(): string {
  const lines = Array.from({ length: 49_998 }, (_, at) => `g,u${at}`);
  return `guid,uid\n${lines.join('\n')}\n"g,u\n${'g,v\n'.repeat(10)}`;
}

interface Refusal {
  readonly title: string;
  readonly content: string | Buffer;
  readonly flags?: readonly string[];
  /** Place and value, and what to do next. */
  readonly says: readonly string[];
}

/** Beside those of samples/bad-file. */
const REFUSALS: readonly Refusal[] = [
  {
    title: 'a binary file',
    content: Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0x0d]),
    says: ['this is not a text file', 'Save it as CSV or JSON'],
  },
  {
    title: 'a quote that never closes, fifty thousand lines down',
    content: quoteThatNeverCloses(),
    says: ['line 50000, column "guid": a quote opens here and never closes', 'Close the quote'],
  },
  {
    title: '--map with a column that is not there',
    content: GOOD,
    flags: ['--map', 'uid=Badge'],
    says: ['uid is mapped to "Badge"', '"guid", "uid", "scope"', 'Name one of them'],
  },
  {
    title: '--guid that is no id',
    content: 'uid\nann\n',
    flags: ['--guid', 'two words'],
    says: ['two words'],
  },
];

describe('a file that cannot be used', () => {
  test.each(REFUSALS)('$title is refused with place, value and remedy, and nothing is sent', async (refusal) => {
    const place = await openSandboxPlace();
    const file = place.file('m.csv', refusal.content);
    const { code, stdout, stderr } = await place.run(['import', file, ...(refusal.flags ?? [])]);
    for (const part of refusal.says) expect(stderr).toContain(part);
    expect(stderr).not.toMatch(/\n\s+at /);
    expect([code, stdout]).toEqual([EXIT.usage, '']);
    expect(place.calls()).toBe(0);
  });

  test('a folder without a file to read, and a path that is not there', async () => {
    const place = await openSandboxPlace();
    mkdirSync(join(place.root, 'folder'));
    const folder = await place.run(['import', 'folder']);
    expect(folder.code).toBe(EXIT.usage);
    expect(folder.stderr).toContain('[UNKNOWN_FILE]');
    const missing = await place.run(['import', 'mebmers.csv']);
    expect(missing.code).toBe(EXIT.usage);
    expect(missing.stderr).toContain('[FILE_NOT_FOUND]');
    expect(place.calls()).toBe(0);
  });
});

describe('a row that cannot be used', () => {
  const LONG = 'x'.repeat(101);
  const ROWS = `region,guid,uid,scope,note
us,g,fine,participant,goes on
us,few
us,g,many,participant,a,b
us,g,,participant,no uid
us,g,boss,owner,unknown scope
mars,g,far,participant,unknown region
us,g,${LONG},participant,101 characters
us,g,twice,participant,lower scope
us,g,TWICE,admin,higher scope
us,g,both,moderator,added
us,g,both,ban,and banned
`;

  test('is invalid with column, value and reason, and the others go on', async () => {
    const place = await openSandboxPlace();
    const { code, summary } = await place.summary(['import', place.file('m.csv', ROWS)]);
    expect(code).toBe(EXIT.rowsFailed);
    expect(summary.rows).toMatchObject({ read: 11, added: 2, invalid: 8, duplicate: 1 });
    expect(place.sandbox.members('us', 'g')).toEqual(
      new Map([
        ['fine', 'participant'],
        ['twice', 'admin'],
      ]),
    );
    const rows = await reported(place);
    const messages = Object.fromEntries(rows.map((row) => [row._row, `${row._status} ${row._message}`]));
    expect(rows.map((row) => row._row)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
    expect(messages[3]).toMatch(/^invalid .*2 cells.*5/);
    expect(messages[4]).toMatch(/^invalid .*6 cells.*5/);
    expect(messages[5]).toMatch(/^invalid .*uid/);
    expect(messages[6]).toMatch(/^invalid .*owner.*participant/);
    expect(messages[7]).toMatch(/^invalid .*mars.*us, eu, in/);
    expect(messages[8]).toMatch(/^invalid .*101.*100/);
    expect(messages[9]).toMatch(/^duplicate .*10/);
    expect(messages[11]).toMatch(/^invalid .*12/);
    expect(messages[12]).toMatch(/^invalid .*11/);
  });

  test('for a region without an app holds the whole import back; with the app, resume sends it', async () => {
    const place = await openSandboxPlace();
    const eu = { ROLLCALL_EU_APP_ID: '', ROLLCALL_EU_API_KEY: '' };
    const file = place.file('m.csv', 'region,guid,uid\nus,g,ann\neu,g,ben\n');
    const { code, stderr } = await place.run(['import', file], { env: eu });
    expect(code).toBe(EXIT.usage);
    expect(stderr).toContain('[REGION_WITHOUT_APP]');
    expect(stderr).toContain('ROLLCALL_EU_API_KEY');
    expect(place.calls()).toBe(0);

    const still = await place.run(['resume'], { env: eu });
    expect(still.code).toBe(EXIT.usage);
    expect(still.stderr).toContain('ROLLCALL_EU_APP_ID');
    const resumed = await place.summary(['resume']);
    expect(resumed.code).toBe(EXIT.ok);
    expect(resumed.summary.rows).toMatchObject({ read: 2, added: 2 });
    expect([...place.sandbox.members('eu', 'g').keys()]).toEqual(['ben']);
  });
});

async function reported(place: SandboxPlace): Promise<{ _row: number; _status: string; _message: string }[]> {
  const { stdout } = await place.run(['report', '--format', 'ndjson']);
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}
