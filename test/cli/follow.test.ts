import { expect, test } from 'vitest';
import type { Server } from '../../src/cli/client/server-client.ts';
import { ServerAway, ServerRefused } from '../../src/cli/client/server-errors.ts';
import { followSteps } from '../../src/cli/screen/follow.ts';
import { Screen } from './screen.ts';

const unused = () => Promise.reject(new Error('not asked for'));
const server: Server = { url: 'http://server.example', call: unused, download: unused, upload: unused };
const away = () => Promise.reject(new ServerAway(server.url, new Error('refused')));

function following(answers: (() => Promise<{ readonly underWay: boolean }>)[]) {
  return followSteps({
    io: new Screen(80).io,
    imports: { server, regions: async () => [] },
    signal: new AbortController().signal,
    look: () => (answers.shift() ?? unused)(),
    goesOn: ({ underWay }) => underWay,
    linesOf: () => ['working'],
    begins: 'the work to begin',
  });
}

test('who waits for a server waits on while it does not answer for a moment', async () => {
  const over = { underWay: false };
  await expect(following([async () => ({ underWay: true }), away, async () => over])).resolves.toBe(over);
});

test('a refusal of the server ends the waiting', async () => {
  const refused = () => Promise.reject(new ServerRefused('UNKNOWN_EXPORT', 'there is no such export', 'begin another'));
  await expect(following([async () => ({ underWay: true }), refused])).rejects.toThrow('there is no such export');
});
