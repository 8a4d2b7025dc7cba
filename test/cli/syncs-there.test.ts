import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { EXIT } from '../../src/cli/exit-codes.ts';
import { planDocument } from '../../src/features/sync/api.ts';
import { eventually } from '../eventually.ts';
import { Doorkeeper } from '../imports/doorkeeper.ts';
import { startTestServer, type TestServer } from '../server/test-server.ts';
import { type Ended, members, openSandboxPlace, openWorkplace, type Workplace } from './workplace.ts';

let server: TestServer;
let token = '';
const door = new Doorkeeper();
door.open();
beforeAll(async () => {
  server = await startTestServer({ tokenRequired: true, chat: door.chat });
  token = server.token('operator', 'nightly-job');
});
afterAll(() => server.close());

/** A folder with nothing in it for commands that talk to the server. */
function remotePlace(): Promise<Workplace> {
  return openWorkplace({ env: { ROLLCALL_SERVER: server.url, ROLLCALL_TOKEN: token } });
}

const PEOPLE = Array.from({ length: 10 }, (_, at) => `u${at + 1}`);
const rowsOf = (team: string, uids: readonly string[]) => members(uids.map((uid) => [team, uid] as const));
const idIn = (text: string) => /(?:sync|undo)-\d{8}-\d{6}-\w{3}/.exec(text)?.[0] ?? '';

/** Returns the output of a command, without ids, times, rates, and the one who ran it. */
function essence({ code, stdout }: Ended) {
  const text = stdout
    .replaceAll(/(sync-|undo-)?\d{8}-\d{6}-\w{3}/g, 'ID')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    // To the end of its paragraph: a slow run has more to say than fits a line.
    .replaceAll(/^ *\d+ calls? in .*(?:\n.*\S.*)*$/gm, 'PACE')
    .replaceAll(/ \([\w-]+\)$/gm, '')
    .replaceAll(/[ \t]+$/gm, '');
  return { code, text };
}

describe('with a server, commands do as they do without:', () => {
  test('standard input must say that it is whole, in a flag or a last line', async () => {
    const place = await remotePlace();
    const input = rowsOf('piped', PEOPLE);
    const sync = (text: string, ...flags: string[]) => place.run(['sync', '-', '--json', ...flags], { input: text });
    const unsaid = await sync(input);
    expect([unsaid.code, unsaid.stderr]).toEqual([EXIT.usage, expect.stringContaining('"code":"BAD_USAGE"')]);
    const cut = await sync(`${input}# rows=11\n`);
    expect([cut.code, cut.stdout]).toEqual([EXIT.usage, expect.stringContaining('11 were')]);
    for (const whole of [await sync(`${input}# rows=10\n`), await sync(input, '--expect-rows', '10')]) {
      expect([whole.code, JSON.parse(whole.stdout)]).toMatchObject([EXIT.ok, { totals: { actions: { add: 10 } } }]);
    }
  });

  test('a plan is made, shown and listed, carried out and undone', async () => {
    const [here, there] = [await openSandboxPlace({ users: 'any', groups: 'any' }), await remotePlace()];
    const both = async (args: (place: Workplace) => readonly string[]) => {
      const ran = [await here.run(args(here)), await there.run(args(there))] as const;
      expect(essence(ran[1]), ran[1].stderr).toEqual(essence(ran[0]));
      return ran;
    };
    const ids = new Map<Workplace, string>();
    const idOf = (place: Workplace) => ids.get(place) ?? '';
    const note = (ran: readonly [Ended, Ended]) => {
      for (const [at, place] of [here, there].entries()) ids.set(place, idIn(ran[at]?.stderr ?? ''));
    };
    for (const place of [here, there]) place.file('first.csv', rowsOf('team', PEOPLE));

    note(await both(() => ['sync', 'first.csv', '--plan-csv', 'plan.csv']));
    const [ours, theirs] = [here, there].map(({ root }) => readFileSync(join(root, 'plan.csv'), 'utf8'));
    expect(theirs).toBe(ours);
    await both((place) => ['sync', 'show', idOf(place), '--format', 'markdown']);
    const [, shown] = await both((place) => ['sync', 'show', idOf(place), '--format', 'csv']);
    expect(shown.stdout).toBe(theirs);
    await both((place) => ['sync', 'show', idOf(place)]);
    const [, applied] = await both((place) => ['sync', 'apply', idOf(place)]);
    expect(applied.stderr).toContain(`report ${idOf(there)}`);
    expect(await there.run(['sync', 'apply', idOf(there)])).toMatchObject({
      code: EXIT.usage,
      stderr: expect.stringContaining('[WRONG_STATE]'),
    });

    for (const place of [here, there]) place.file('first.csv', rowsOf('team', PEOPLE.slice(0, 4)));
    const mirror = ['sync', 'first.csv', '--mode', 'mirror', '--missing', 'remove', '--apply'];
    const [, held] = await both(() => mirror);
    expect(held.code).toBe(EXIT.stopped);
    expect(held.stderr).toContain(`approve ${idIn(held.stderr)}`);
    ids.set(there, idIn(held.stderr));
    const document = await there.run(['sync', 'show', idOf(there), '--format', 'json']);
    expect(planDocument.parse(JSON.parse(document.stdout))).toMatchObject({ held: true, totals: { changes: 6 } });
    const listed = JSON.parse((await there.run(['sync', 'list', '--limit', '2', '--json'])).stdout);
    expect(listed).toMatchObject([
      { id: idOf(there), state: 'held', findings: [{ guard: 'shrunk-file' }, { guard: 'group-removals' }] },
      { state: 'applied', import: { rows: { added: 10 } } },
    ]);
    const rejected = await there.run(['sync', 'reject', idOf(there), '--reason', 'not yet']);
    expect([rejected.code, rejected.stderr]).toEqual([EXIT.ok, `Sync ${idOf(there)} is rejected: not yet\n`]);
    expect((await there.run(['sync', 'show', idOf(there)])).stdout).toMatch(/rejected +.*\(nightly-job\)/);
    ids.set(there, idIn((await there.run(mirror)).stderr));
    const approved = await there.run(['sync', 'approve', idOf(there), '--reason', 'the course is over', '--json']);
    expect([approved.code, JSON.parse(approved.stdout)]).toMatchObject([
      EXIT.ok,
      { state: 'applied', approved: { reason: 'the course is over' }, import: { rows: { removed: 6 } } },
    ]);
    const { before } = JSON.parse(approved.stdout) as { before: string };
    expect(before).toBe(`${server.url}/v1/syncs/${idOf(there)}/before`);
    expect(approved.stderr).toContain(before);

    const undone = await there.run(['undo', idOf(there), '--apply']);
    expect([undone.code, undone.stdout]).toEqual([EXIT.ok, expect.stringContaining('6 to')]);
    const list = await there.run(['sync', 'list', '--limit', '1']);
    expect(list.stdout).toMatch(/^undo-\S+ +applied +6 /m);
  });

  test('a recipe, an identity file and limits are sent along', async () => {
    const place = await remotePlace();
    place.file('people.csv', 'email,uid\nann@x.org,ann\n');
    place.file('m.csv', 'guid,email\nroom,ann@x.org\n');
    const planned = await place.run([
      'sync',
      'm.csv',
      '--map',
      'uid=email',
      '--identities',
      'people.csv',
      '--limit',
      'groupRemovalsPercent=30',
    ]);
    expect([planned.code, planned.stdout], planned.stderr).toEqual([EXIT.ok, expect.stringContaining('1 to')]);
    const unknown = await place.run(['sync', 'm.csv', '--recipe', 'nothing']);
    expect([unknown.code, unknown.stderr]).toEqual([EXIT.usage, expect.stringContaining('"nothing"')]);
  });
});

describe('Ctrl-C leaves the server at work, and says how to look at it again:', () => {
  test('while it carries a plan out', async () => {
    const place = await remotePlace();
    // A call for each group, and more of them than are made at a time: some are left to be cancelled.
    const groups = Array.from({ length: 12 }, (_, at) => [`many${at}`, 'ann'] as const);
    place.file('m.csv', members(groups));
    door.shut();
    onTestFinished(() => door.open());
    const run = place.begin(['sync', 'm.csv', '--apply']);
    await run.says('will be written');
    run.interrupt();
    const { code, stderr } = await run.ended;
    const id = idIn(stderr);
    expect([code, stderr]).toEqual([EXIT.stillRunning, expect.stringContaining(`cancel ${id}`)]);
    expect((await place.run(['sync', 'show', id])).stdout).toContain('applying');
    expect((await place.run(['cancel', id])).code).toBe(EXIT.ok);
    door.open();
    await eventually(async () => (await place.run(['sync', 'show', id])).stdout).toContain('incomplete');
  });
});

test('flags that count on this machine, and more users than a request can name, are refused', async () => {
  const place = await remotePlace();
  place.file('m.csv', rowsOf('team', PEOPLE));
  place.file('many.txt', Array.from({ length: 2_000 }, (_, at) => `protected-${at}`).join('\n'));
  for (const [args, says] of [
    [['sync', 'm.csv', '--sandbox'], '--sandbox has no meaning'],
    [['sync', 'list', '--data-dir', 'x'], '--data-dir has no meaning'],
    [['sync', 'm.csv', '--missing', 'remove'], 'add --mode mirror'],
    [['sync', 'm.csv', '--protect', 'many.txt'], "run the command on the server's machine"],
    [['sync', 'show', 'sync-1'], '`rollcall sync list`'],
    [['undo', 'nothing'], '`rollcall list`'],
    [['sync', 'none.csv'], 'there is no file "none.csv"'],
  ] as const) {
    const { code, stderr } = await place.run(args);
    expect([code, stderr]).toEqual([EXIT.usage, expect.stringContaining(says)]);
  }
});
