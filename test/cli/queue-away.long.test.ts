import { expect, test } from 'vitest';
import { openSandboxPlace } from './workplace.ts';

/** Commands whose queue's server does not run: they say so, and can be stopped. Nothing listens on port 1. */

const AWAY = 'redis://127.0.0.1:1';

test('an import says that the queue does not answer, ends with the first signal, and says how to continue', async () => {
  const place = await openSandboxPlace();
  const file = place.file('m.csv', 'uid,guid\nann,team\n');
  const running = place.start(['import', file, '--queue', AWAY]);
  await running.says("the queue's server does not answer (connect ECONNREFUSED 127.0.0.1:1)");
  await running.says('1 message will be written');
  running.child.kill('SIGTERM');
  expect((await running.ended).code).toBe(5);
  expect(running.stderr()).toContain('stopped anyway.');
  expect(running.stderr()).toMatch(/ resume \S+/);

  const server = place.start(['serve', '--port', '0', '--queue', AWAY], { stays: true });
  await server.says("the queue's server does not answer");
  // The import that was interrupted waits for the queue; its page can be looked at.
  await server.says('Listening on http://');
  server.child.kill('SIGTERM');
  expect((await server.ended).code).toBe(0);

  // Nothing was lost: without that queue it goes on.
  const { code, summary } = await place.summary(['resume']);
  expect([code, summary.rows.added]).toEqual([0, 1]);
});
