import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import type { InputRow } from '../../../src/imports/read/input-row.ts';
import { openIntake } from '../../../src/imports/read/intake.ts';
import { type ReportInput, retryReport } from '../../../src/imports/report/report-table.ts';
import { reportRow } from './fixtures.ts';

/** Imports a file: returns its memberships, and a retry file as if the service had refused them all. */
async function imported(text: string): Promise<{ memberships: string[]; retry: string }> {
  const source = { stream: Readable.from([Buffer.from(text)]), name: 'test' };
  const intake = await openIntake(source, { format: 'auto', map: {}, region: 'us' });
  const rows: InputRow[] = [];
  for await (const chunk of intake.chunks()) rows.push(...chunk);
  const input: ReportInput = {
    columns: intake.columns(),
    format: intake.format,
    delimiter: intake.delimiter ?? ',',
  };
  const valid = rows.filter((row) => row.problems.length === 0);
  return {
    memberships: valid.map((row) => [row.region, row.guid, row.uid, row.scope, row.onBehalfOf].join(' ')),
    retry: [
      ...retryReport(
        input,
        rows.map((row) =>
          reportRow({ original: row.original, status: row.problems.length === 0 ? 'failed' : 'invalid' }),
        ),
      ),
    ].join(''),
  };
}

describe('a retry file that goes through intake', () => {
  test.each([
    ['a list in a column', '[{"guid":"g","uid":"u","tags":["b"]}]'],
    ['objects in a column', '[{"guid":"g","uid":"u","notes":[{"by":"x"}]}]'],
    ['a text of many kilobytes', JSON.stringify([{ guid: 'g', uid: 'u', tags: [], text: 'x'.repeat(20_000) }])],
  ])('may be one row with %s', async (_, text) => {
    const first = await imported(text);
    expect(first.memberships).toEqual(['us g u participant ']);
    expect((await imported(first.retry)).memberships).toEqual(first.memberships);
  });

  test.each([
    [
      'UIDs that begin like formulas',
      'guid;uid;scope;note\n-team;-anna;Admin;=1+1\n"\tteam ";--x;;"a;""=cmd|\'x\'!A0"\n',
      2,
    ],
    ['rows of other lengths', 'guid,uid\nt,a,\nt,b,\nt,c,d,e\n', 2],
    ['rows that were refused', 'guid\tuid\tphone\nteam\t+39 055\t+39 055\nteam\tbo\t+39 055\n', 1],
    [
      'every scope and region',
      'region,group_id,Member,role,On Behalf Of\nEU,t,a,moderators,-x\nin,t,b,usersToBan,\n',
      2,
    ],
    ['JSON lines', '{"guid":"t","uid":"a","n":1.0}\n{"guid":"t","uid":12,"x":"=1"}\n', 2],
    ['a JSON list', '[\n{"guid": "t",\n"uid": "a"},\n{"guid":"t","uid":"b","scope":"ban"}]', 2],
    ['the service’s own shape', '[{"guid":"t","admins":["a","b"],"usersToBan":["c"]}]', 3],
  ])('asks for the same memberships: %s', async (_, file, count) => {
    const first = await imported(file);
    const again = await imported(first.retry);
    expect(first.memberships).toHaveLength(count);
    expect(again.memberships).toEqual(first.memberships);
    expect(again.retry).toBe(first.retry);
  });
});
