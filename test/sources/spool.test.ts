import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { badSource, type Content, type Source } from '../../src/sources/source.ts';
import { type SpoolProgress, spool } from '../../src/sources/spool.ts';
import { rejection } from '../chat/chat-server.ts';
import { tempDir } from '../temp-dir.ts';

/** The content of a source becomes a file: whole or not at all. */

interface Given extends Source {
  /** The known versions that it was asked about. */
  readonly known: (string | undefined)[];
  closed: number;
}

function sourceOf(version: string | undefined, content: Content): Given {
  const given: Given = {
    name: 'test://place/members',
    known: [],
    closed: 0,
    open: async (_signal, known) => {
      given.known.push(known);
      const close = async () => {
        given.closed += 1;
      };
      return {
        name: given.name,
        version,
        content: known !== undefined && known === version ? undefined : content,
        close,
      };
    },
  };
  return given;
}

const bytes = (pieces: readonly string[], size?: number, error?: Error): Content => ({
  kind: 'bytes',
  size,
  pieces: (async function* () {
    for (const piece of pieces) yield Buffer.from(piece);
    if (error !== undefined) throw error;
  })(),
});

const rows = (pieces: readonly (readonly (readonly string[])[])[], error?: Error): Content => ({
  kind: 'rows',
  columns: ['guid', 'uid', 'note'],
  pieces: (async function* () {
    yield* pieces;
    if (error !== undefined) throw error;
  })(),
});

const keep = (source: Source, path: string, more: Partial<Parameters<typeof spool>[1]> = {}) =>
  spool(source, { path, maxBytes: 1_000, signal: new AbortController().signal, ...more });

test('rows become CSV that gives the same text again, and the progress counts them', async () => {
  const path = join(tempDir(), 'own', 'input');
  const source = sourceOf(
    undefined,
    rows([
      [
        ['g', 'ann', ''],
        ['g', 'bob', 'a "quoted", text\nof two lines'],
      ],
      [['', '', ' padded ']],
    ]),
  );
  const counted: (number | undefined)[] = [];
  const { version } = await keep(source, path, { onProgress: ({ rows: so }) => counted.push(so) });
  expect(readFileSync(path, 'utf8')).toBe(
    'guid,uid,note\ng,ann,\ng,bob,"a ""quoted"", text\nof two lines"\n,," padded "\n',
  );
  expect([version, counted, source.closed]).toEqual([null, [0, 2, 3], 1]);
});

test.each([
  ['fewer bytes than were announced', bytes(['guid,uid\n'], 20), 'gave 9 bytes of 20'],
  ['more bytes than were announced', bytes(['guid,uid\n', 'g,ann\n'], 9), 'gave 15 bytes of 9'],
  ['an error after bytes', bytes(['guid,uid\n'], undefined, badSource('it broke off')), 'it broke off'],
  ['an error after rows', rows([[['g', 'ann', '']]], badSource('division by zero')), 'division by zero'],
  ['more than is allowed', bytes(['x'.repeat(1_001)]), 'is larger than 1,000 bytes'],
  ['a size that is not allowed', bytes([], 1_001), 'is larger than 1,000 bytes'],
])('%s leaves nothing, and the connection is closed', async (_what, content, says) => {
  const folder = tempDir();
  const source = sourceOf('1', content);
  expect(String(await rejection(keep(source, join(folder, 'input'))))).toContain(says);
  expect([readdirSync(folder), source.closed]).toEqual([[], 1]);
});

test('more than the disk has free is refused before any of it comes', async () => {
  const folder = tempDir();
  const huge = sourceOf('1', bytes(['guid,uid\n'], Number.MAX_SAFE_INTEGER));
  const refused = await rejection(keep(huge, join(folder, 'input'), { maxBytes: Number.MAX_SAFE_INTEGER }));
  expect(refused).toMatchObject({ code: 'DISK_FULL' });
  expect(readdirSync(folder)).toEqual([]);
});

test('what is kept already is only read again when it has changed, or the copy was damaged', async () => {
  const path = join(tempDir(), 'source');
  const first = await keep(sourceOf('1', bytes(['guid,uid\ng,ann\n'])), path);
  const same = sourceOf('1', bytes(['never read']));
  expect(await keep(same, path, { kept: first })).toEqual(first);
  expect([same.known, same.closed]).toEqual([['1'], 1]);
  const changed = await keep(sourceOf('2', bytes(['guid,uid\ng,bob\n'])), path, { kept: first });
  expect(changed.version).toBe('2');
  // The copy is not the one that was noted.
  const again = sourceOf('1', bytes(['guid,uid\ng,ann\n']));
  expect(await keep(again, path, { kept: first })).toEqual(first);
  expect(again.known).toEqual([undefined]);
});

test.each([
  ['bytes', (): Content => ({ kind: 'bytes', size: undefined, pieces: endless(Buffer.from('x')) })],
  ['rows', (): Content => ({ kind: 'rows', columns: ['guid'], pieces: endless([['g']]) })],
])(
  'what goes on coming for too long leaves nothing, also where its adapter does not listen: %s',
  async (_, content) => {
    const folder = tempDir();
    const source = sourceOf('1', content());
    const late = new AbortController();
    const onProgress = ({ bytes: so }: SpoolProgress) => so > 20 && late.abort();
    const refused = await rejection(keep(source, join(folder, 'input'), { onProgress, late: late.signal }));
    expect(refused).toMatchObject({ code: 'BAD_SOURCE', message: expect.stringContaining('within 60 minutes') });
    expect([readdirSync(folder), source.closed]).toEqual([[], 1]);
  },
);

/** Some of it, and then neither more nor an end. */
async function* endless<Piece>(piece: Piece): AsyncGenerator<Piece> {
  for (let at = 0; at < 30; at += 1) yield piece;
  await new Promise<never>(() => {});
}

test('a signal that comes while rows come leaves nothing', async () => {
  const path = join(tempDir(), 'input');
  const stop = new AbortController();
  const pieces = (async function* () {
    yield [['g', 'ann', '']];
    stop.abort(new Error('this process stops'));
    throw new Error('connection reset');
  })();
  const source = sourceOf(undefined, { kind: 'rows', columns: ['guid', 'uid', 'note'], pieces });
  expect(String(await rejection(keep(source, path, { signal: stop.signal })))).toBe('Error: this process stops');
  expect([existsSync(path), source.closed]).toEqual([false, 1]);
});
