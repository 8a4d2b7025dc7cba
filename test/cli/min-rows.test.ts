import { expect, test } from 'vitest';
import { EXIT } from '../../src/cli/exit-codes.ts';
import { members, openSandboxPlace, type SandboxPlace } from './workplace.ts';

/** `--min-rows`: a source that shrank is refused. */

const people = (n: number) => members(Array.from({ length: n }, (_, i) => ['team', `u${i}`]));
const inTeam = ({ sandbox }: SandboxPlace) => sandbox.members('us', 'team').size;

test('an import is refused where its file has shrunk since the last one of the same path; the first one says that there was none', async () => {
  const place = await openSandboxPlace();
  place.file('m.csv', people(10));
  const first = await place.run(['import', 'm.csv', '--min-rows', '90%']);
  expect([first.code, first.stdout]).toEqual([EXIT.ok, expect.stringContaining('no earlier')]);
  const before = place.calls();
  place.file('m.csv', people(8));
  const shrunk = await place.run(['import', 'm.csv', '--min-rows', '90%']);
  expect([shrunk.code, shrunk.stderr]).toEqual([EXIT.usage, expect.stringContaining('[TOO_FEW_ROWS]')]);
  expect(place.calls()).toBe(before);
  // One that was refused is no run to compare with.
  expect((await place.run(['import', 'm.csv', '--min-rows', '80%'])).code).toBe(EXIT.ok);
  expect((await place.run(['import', 'm.csv', '--min-rows', '9'])).stderr).toMatch(/\b9\b/);
  expect((await place.run(['import', 'm.csv', '--min-rows', 'many'])).code).toBe(EXIT.usage);
});

test('so is a sync, and each run of a schedule', async () => {
  const place = await openSandboxPlace();
  place.file('m.csv', people(10));
  const sync = (...flags: string[]) => place.run(['sync', 'm.csv', '--apply', '--min-rows', '90%', ...flags]);
  expect((await sync()).code).toBe(EXIT.ok);
  place.file('m.csv', people(8));
  const shrunk = await sync();
  expect(shrunk.code).not.toBe(EXIT.ok);
  expect(shrunk.stdout + shrunk.stderr).toContain('8 rows');

  const add = ['schedule', 'add', 'nightly', '--cron', '@daily', '--file', 'm.csv', '--apply', '--min-rows', '50%'];
  expect((await place.run(add)).code).toBe(EXIT.ok);
  const run = () => place.run(['schedule', 'run', 'nightly']);
  // The first run of the schedule has none before it.
  expect((await run()).code).toBe(EXIT.ok);
  place.file('m.csv', people(3));
  const third = await run();
  expect(third.code).not.toBe(EXIT.ok);
  expect(third.stdout + third.stderr).toContain('3 rows');
  expect(inTeam(place)).toBe(10);

  const edit = (...flags: string[]) => place.run(['schedule', 'edit', 'nightly', ...flags]);
  expect((await edit('--expect-rows', '3')).code).toBe(EXIT.ok);
  expect((await run()).code).not.toBe(EXIT.ok);
  expect((await edit('--no-min-rows')).code).toBe(EXIT.ok);
  expect((await run()).code).toBe(EXIT.ok);
  place.file('m.csv', people(2));
  expect((await run()).code).not.toBe(EXIT.ok);
  expect((await edit('--no-expect-rows', '--no-give-up-after')).code).toBe(EXIT.ok);
  expect((await run()).code).toBe(EXIT.ok);
});
