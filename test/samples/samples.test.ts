import { readdirSync, readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { cameTo, promisedBy, readme, reportRows, rollcall, SAMPLES, temporaryDataDir } from './sample.ts';

/** Samples with tests of their own, beside this file. */
const APART = ['first-import', 'bad-file', 'nightly', 'recipes'];

const FOLDERS = readdirSync(SAMPLES, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

type Run = ReturnType<typeof cameTo>;

/** Further statements of a README: of single rows, of calls. */
const DETAILS: Readonly<Record<string, (run: Run) => void>> = {
  json: ({ summary }) => {
    const rows = reportRows(summary.reports.all);
    expect(rows[1]).toMatchObject({ user: '40117', shifts: '["fri","sat"]', _uid: '40117', _status: 'added' });
    expect(rows.filter(({ _status }) => _status !== 'added').map(({ _row, _status }) => `${_row} ${_status}`)).toEqual([
      '8 duplicate',
      '10 invalid',
      '11 already_member',
      '14 invalid',
      '15 failed',
    ]);
    const retry = readFileSync(summary.reports.retry ?? '', 'utf8')
      .trimEnd()
      .split('\n');
    expect(retry.map((line) => JSON.parse(line).name)).toEqual(['Nils Aho']);
  },
  'service-shape': ({ summary }) => {
    expect(readme('service-shape')).toContain(`${summary.calls} calls in all`);
    const failed = reportRows(summary.reports.failed).map(({ _guid, _code }) => `${_guid} ${_code}`);
    expect(failed).toEqual(Array(2).fill('guild-that-was-closed ERR_GUID_NOT_FOUND'));
  },
  'ndjson-gzip': ({ summary }) => {
    const rows = reportRows(summary.reports.all);
    expect(rows[44]).toMatchObject({ _row: '45', uid: 'gravel', _status: 'failed' });
    expect(rows.filter(({ uid }) => uid === 'cobalt').map(({ _guid, _status }) => `${_guid} ${_status}`)).toEqual([
      'clan-ember added',
      'clan-tide banned',
    ]);
  },
  'map-columns': ({ summary }) => {
    const failed = reportRows(summary.reports.failed, ';');
    expect(failed.map(({ _row, Vorname, _status }) => `${_row} ${Vorname} ${_status}`)).toEqual([
      '14 Gerd invalid',
      '15 Löthar failed',
    ]);
  },
  bans: ({ summary }) => {
    const others = reportRows(summary.reports.all).filter(({ _code }) => _code !== '');
    expect(others.map(({ user, _status, _code }) => `${user} ${_status} ${_code}`)).toEqual([
      'crypto-king-88 banned ERR_ALREADY_BANNED',
      'Free-Sneakers duplicate DUPLICATE',
      'deleted-last-week failed ERR_UID_NOT_FOUND',
    ]);
  },
};

describe.each(Object.entries(DETAILS))('samples/%s', (folder, details) => {
  const dataDir = temporaryDataDir();
  const { command, code, rows } = promisedBy(folder);
  let run: Run;

  beforeAll(async () => {
    run = cameTo(await rollcall(command, dataDir));
  });

  test('the command of its README brings what the README promises', () => {
    expect(run).toMatchObject({ code, rows });
  });

  test('single rows end as its README says', () => details(run));
});

test('every sample is in the list of samples, and has its test', () => {
  const links = [...readFileSync(new URL('README.md', SAMPLES), 'utf8').matchAll(/\]\((.+)\/README\.md\)/g)];
  expect(links.map(([, folder]) => folder).sort()).toEqual(FOLDERS.sort());
  expect([...Object.keys(DETAILS), ...APART].sort()).toEqual(FOLDERS);
});
