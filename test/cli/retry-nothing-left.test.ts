import { expect, onTestFinished, test } from 'vitest';
import type { ImportSummary } from '../../src/api/import-summary.ts';
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
  expect([none.code, none.stderr]).toEqual([
    EXIT.ok,
    expect.stringContaining('nothing to send again: none of these rows'),
  ]);

  const failed = await place.run(['report', id, '--status', 'failed']);
  place.file('fixed.csv', failed.stdout.replace('bobb', 'bob').replace('evee', 'eve'));
  const sent = await place.summary(['retry', id, '--edits', 'fixed.csv']);
  expect(sent.summary.rows).toMatchObject({ read: 2, added: 2 });

  // The first import still has two rows that failed; both were sent, as they are now.
  for (const [flags, says] of [
    [[], 'its rows were repaired and sent'],
    [['--status', 'failed'], 'or they were repaired and sent'],
    [['--uid', 'bobb'], 'or they were repaired and sent'],
    [['--edits', 'fixed.csv'], 'the corrected rows were sent before'],
  ] as const) {
    const { code, stdout, stderr } = await place.run(['retry', id, ...flags]);
    expect([code, stdout, stderr]).toEqual([EXIT.ok, '', expect.stringContaining(`has nothing to send again: `)]);
    expect(stderr).toContain(says);
  }
  const list: ImportSummary[] = JSON.parse((await place.run(['list', '--json'])).stdout);
  expect(list.map((one) => one.id)).toEqual([sent.summary.id, id]);
  for (const query of ['', '?status=failed', '?uid=bobb']) {
    const refused = await server?.problem(`/v1/imports/${id}/retry${query}`, { method: 'POST' });
    if (server !== undefined) expect(refused).toMatchObject({ status: 409, code: 'WRONG_STATE' });
  }
});
