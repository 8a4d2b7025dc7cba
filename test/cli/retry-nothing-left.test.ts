import { expect, onTestFinished, test } from 'vitest';
import type { ImportView } from '../../src/api/imports.ts';
import { EXIT } from '../../src/cli/exit-codes.ts';
import { startTestServer, type TestServer } from '../server/test-server.ts';
import { openSandboxPlace, openWorkplace, type Workplace } from './workplace.ts';

const SEED = { users: ['ann', 'bob', 'eve'], groups: ['g'] };

/** Commands on this machine, and at a server. */
const PLACES: Readonly<Record<string, () => Promise<{ place: Workplace; server?: TestServer }>>> = {
  'on this machine': async () => ({ place: await openSandboxPlace({ users: 0, groups: 0, seed: SEED }) }),
  'at a server': async () => {
    const server = await startTestServer({ sandbox: { users: 0, groups: 0, seed: SEED } });
    onTestFinished(() => server.close());
    return { place: await openWorkplace({ env: { ROLLCALL_SERVER: server.url } }), server };
  },
};

test.each(Object.keys(PLACES))('a retry of which no row is left says so and begins nothing: %s', async (where) => {
  const { place, server } = (await PLACES[where]?.()) ?? {};
  if (place === undefined) throw new Error('no place');
  place.file('m.csv', 'guid,uid\ng,ann\ng,bobb\ng,evee\n');
  const { id } = (await place.summary(['import', 'm.csv'])).summary;
  const none = await place.run(['retry', id, '--uid', 'ann']);
  expect([none.code, none.stdout, none.stderr]).toEqual([EXIT.ok, '', expect.stringContaining('these rows')]);

  const failed = await place.run(['report', id, '--status', 'failed']);
  place.file('fixed.csv', failed.stdout.replace('bobb', 'bob').replace('evee', 'eve'));
  const sent = await place.summary(['retry', id, '--edits', 'fixed.csv']);
  expect(sent.summary.rows).toMatchObject({ read: 2, added: 2 });

  // The first import still has two rows that failed; both were sent, as they are now.
  for (const [flags, says] of [
    [[], 'its rows were corrected and sent'],
    [['--status', 'failed'], 'or they were corrected and sent'],
    [['--uid', 'bobb'], 'or they were corrected and sent'],
    [['--edits', 'fixed.csv'], 'or they were sent before'],
  ] as const) {
    const { code, stdout, stderr } = await place.run(['retry', id, ...flags, '--json']);
    expect([code, stderr]).toEqual([EXIT.ok, expect.stringContaining(id)]);
    const rows = expect.objectContaining({ read: 0, added: 0, failed: 0 });
    expect(JSON.parse(stdout)).toEqual({ id: null, retryOf: id, rows });
    expect(stderr).toContain(says);
  }
  const list: Pick<ImportView, 'id' | 'next'>[] = JSON.parse((await place.run(['list', '--json'])).stdout);
  expect(list.map((one) => [one.id, one.next])).toEqual([
    [sent.summary.id, []],
    [id, []],
  ]);
  for (const query of ['', '?status=failed', '?uid=bobb']) {
    const refused = await server?.problem(`/v1/imports/${id}/retry${query}`, { method: 'POST' });
    if (server !== undefined) expect(refused).toMatchObject({ status: 409, code: 'NOTHING_TO_SEND' });
  }
});

test.each(Object.keys(PLACES))(
  'a correction of rows that a retry has sent as they were names that retry: %s',
  async (where) => {
    const { place } = (await PLACES[where]?.()) ?? {};
    if (place === undefined) throw new Error('no place');
    place.file('m.csv', 'guid,uid\ng,ann\ng,bobb\ng,evee\ng,no one\n');
    const { id } = (await place.summary(['import', 'm.csv'])).summary;
    const report = (await place.run(['report', id, '--status', 'failed,invalid'])).stdout;
    const retry = (await place.summary(['retry', id])).summary;
    expect(retry.rows).toMatchObject({ read: 2, failed: 2 });

    place.file('fixed.csv', report.replace('bobb', 'bob'));
    const late = await place.run(['retry', id, '--edits', 'fixed.csv']);
    expect([late.code, late.stderr]).toEqual([EXIT.usage, expect.stringContaining('[BAD_USAGE]')]);
    expect(late.stderr).toContain('1 row');
    expect(late.stderr).toContain(`${retry.id}`);
    expect(late.stderr).toMatch(new RegExp(`^ +rollcall retry ${retry.id} --edits \\S+`, 'm'));

    // The invalid row was in no retry: its correction is sent, and the other one is named.
    place.file('fixed.csv', report.replace('bobb', 'bob').replace('no one', 'eve'));
    const both = await place.run(['retry', id, '--edits', 'fixed.csv']);
    expect([both.code, both.stderr]).toEqual([EXIT.ok, expect.stringContaining('1 cell')]);
    expect(both.stderr).toContain(`${retry.id}`);

    place.file('again.csv', report.replace('no one', 'eve'));
    const again = await place.run(['retry', id, '--edits', 'again.csv']);
    expect([again.code, again.stderr]).toEqual([EXIT.ok, expect.stringContaining('3 rows')]);
    place.file('again.csv', report.replace('no one', 'ann'));
    const other = await place.run(['retry', id, '--edits', 'again.csv']);
    expect([other.code, other.stderr]).toEqual([EXIT.usage, expect.stringMatching(/Row 5:.*\S+\.$/m)]);

    const there = (await place.run(['report', retry.id, '--status', 'failed'])).stdout;
    place.file('there.csv', there.replace('bobb', 'bob'));
    const sent = await place.summary(['retry', retry.id, '--edits', 'there.csv']);
    expect(sent.summary.rows).toMatchObject({ read: 1, added: 1 });
  },
);
