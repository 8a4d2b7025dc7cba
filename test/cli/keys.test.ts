import { describe, expect, test } from 'vitest';
import { EXIT } from '../../src/cli/exit-codes.ts';
import { filesBelow, members, openSandboxPlace, type SandboxPlace } from './workplace.ts';

const WRONG = 'bad0bad0bad0bad0bad0bad0bad0bad0bad0bad0';
const ROWS = members([
  ['g', 'ann', 'admin'],
  ['g', 'ANN'],
  ['g', 'ben'],
  ['g', 'not an id'],
]);

/** Files of the data directory in which this text stands, in any encoding that a file of ours has. */
function filesWith(place: SandboxPlace, secret: string): string[] {
  return filesBelow(place.root)
    .filter(({ content }) => content.includes(secret) || content.includes(Buffer.from(secret, 'utf16le')))
    .map(({ path }) => path);
}

describe('a key that the service refuses', () => {
  test.each([
    ['says no more than that', false],
    ['repeats it in its answer', true],
  ])(
    'blocks the import and consumes nothing, where the service %s; with the right one, resume completes it',
    async (_, echoKey) => {
      const place = await openSandboxPlace({ users: 'any', groups: 'any', behaviour: { echoKey } });
      const file = place.file('m.csv', ROWS);
      const right = place.sandbox.apps.us.apiKey;
      const said: string[] = [];
      const run = async (args: readonly string[], key: string) => {
        const ended = await place.run(args, { env: { ROLLCALL_US_API_KEY: key } });
        said.push(ended.stdout, ended.stderr);
        return ended;
      };

      const { code, stdout, stderr } = await run(['import', file, '--json'], WRONG);
      expect(code).toBe(EXIT.stopped);
      const blocked = JSON.parse(stdout);
      expect(blocked.state).toBe('blocked');
      expect(blocked.rows).toMatchObject({ read: 4, added: 0, failed: 0, unconfirmed: 0, invalid: 1, duplicate: 1 });
      expect(stderr).toContain('AUTH_ERR_APIKEY_NOT_FOUND');
      expect(stderr).toContain(`resume ${blocked.id}`);
      expect(place.sandbox.members('us', 'g').size).toBe(0);

      // Nothing is lost by trying again too early.
      expect((await run(['resume'], WRONG)).code).toBe(EXIT.stopped);
      const doctor = await run(['doctor'], WRONG);
      expect(doctor.code).toBe(EXIT.usage);
      expect(doctor.stdout).toContain('Check ROLLCALL_US_API_KEY');

      const resumed = await run(['resume', '--json'], right);
      expect(resumed.code).toBe(EXIT.rowsFailed);
      expect(JSON.parse(resumed.stdout).rows).toMatchObject({ read: 4, added: 2, failed: 0, invalid: 1, duplicate: 1 });
      expect(place.sandbox.members('us', 'g').size).toBe(2);

      for (const format of ['csv', 'ndjson', 'json', 'html']) await run(['report', '--format', format], right);
      expect(said.filter((text) => text.includes(WRONG) || text.includes(right))).toEqual([]);
      expect(filesWith(place, WRONG)).toEqual([]);
      expect(filesWith(place, right)).toEqual([]);
      // The search finds what is there: the reports hold the code.
      expect(filesWith(place, 'AUTH_ERR_APIKEY_NOT_FOUND').length).toBeGreaterThan(0);
    },
  );

  test('in one region does not keep the others from being served', async () => {
    const place = await openSandboxPlace();
    const file = place.file('m.csv', 'region,guid,uid\nus,g,ann\neu,g,ben\n');
    const { code, summary } = await place.summary(['import', file], { env: { ROLLCALL_EU_API_KEY: WRONG } });
    expect([code, summary.state]).toEqual([EXIT.stopped, 'blocked']);
    expect([...place.sandbox.members('us', 'g').keys()]).toEqual(['ann']);
    expect((await place.summary(['resume'])).summary.rows).toMatchObject({ read: 2, added: 2 });
    // Rows in place were not sent again. One call for the row, and one that asked for the banned.
    expect(place.sandbox.calls.us.requests).toBe(2);
  });
});
