import { describe, expect, test } from 'vitest';
import type { Imports } from '../../src/cli/client/imports.ts';
import type { Server } from '../../src/cli/client/server-client.ts';
import { followImport, followSteps } from '../../src/cli/screen/follow.ts';
import { RollcallError } from '../../src/errors/rollcall-error.ts';
import { eventually } from '../eventually.ts';
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

test('an import whose file another process reads shows how far that is', async () => {
  const screen = new Screen(80);
  let state = 'staging';
  const view = () => ({ id: 'i1', state, regions: {}, staging: null });
  const staging = { rows: 5_000, bytes: 10, totalBytes: 100, cutting: false };
  async function* events() {
    const text = `event: imports\ndata: ${JSON.stringify({ imports: [{ ...view(), staging }] })}\n\n`;
    yield text.slice(0, 30);
    yield text.slice(30);
    await eventually(() => screen.text).toContain('5,000 rows');
    state = 'completed';
    yield 'event: import\ndata: {"id":"i1"}\n\n';
  }
  const imports = { client: { download: async () => events() }, one: async () => view(), regions: async () => [] };
  const { signal } = new AbortController();
  expect(await followImport(screen.io, imports as unknown as Imports, 'i1', { signal })).toBe('over');
});

describe('an import that begins says how many messages it will write', () => {
  const said = async (sentBefore: number, change: object) => {
    const screen = new Screen(80);
    const view = {
      id: 'i1',
      state: 'completed',
      calls: 3,
      regions: {},
      writes: { messages: 60, groups: 4 },
      ...change,
    };
    const imports = { client: { download: unused }, one: async () => view, regions: async () => [] };
    const { signal } = new AbortController();
    await followImport(screen.io, imports as unknown as Imports, 'i1', { signal, sentBefore });
    return /Up to (\d+) messages/.exec(screen.text)?.[1];
  };

  test('without those of rows that were sent before', async () => {
    expect(await said(0, {})).toBe('60');
    expect(await said(14, {})).toBe('46');
    expect(await said(60, {})).toBeUndefined();
  });

  test('not where it ended before its first call', async () => {
    expect(await said(0, { state: 'aborted', calls: 0 })).toBeUndefined();
  });
});
