import { expect, test } from 'vitest';
import type { Server } from '../../src/cli/client/server-client.ts';
import { followSteps } from '../../src/cli/screen/follow.ts';
import { RollcallError } from '../../src/errors/rollcall-error.ts';
import { Screen } from './screen.ts';

const unused = () => Promise.reject(new Error('not asked for'));
const server: Server = { url: 'http://server.example', call: unused, download: unused, upload: unused };
const away = () => Promise.reject(new RollcallError('AWAY', { url: server.url, why: 'refused' }));

function following(answers: (() => Promise<{ readonly underWay: boolean }>)[]) {
  return followSteps({
    io: new Screen(80).io,
    id: 'export-1',
    imports: { server, client: server, regions: async () => [] },
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
  const refused = () => Promise.reject(new RollcallError('UNKNOWN_EXPORT', { id: 'e' }));
  await expect(following([async () => ({ underWay: true }), refused])).rejects.toMatchObject({
    code: 'UNKNOWN_EXPORT',
  });
});
