import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { importOperations } from '../../src/api/imports.ts';
import type { Operation } from '../../src/api/operation.ts';
import { serviceOperations } from '../../src/api/service.ts';
import { askOwner, serveOwner } from '../../src/app/owner-socket.ts';
import { currentUser } from '../../src/cli/client/local-client.ts';
import { connectToServer } from '../../src/cli/client/server-client.ts';
import { importOwner, ownerAnswers, ownImports } from '../../src/cli/owner.ts';
import { RollcallError } from '../../src/errors/rollcall-error.ts';
import { importOptions } from '../../src/imports/import-options.ts';
import { startTestServer, type TestServer } from '../server/test-server.ts';

/**
 * An operation does the same, refuses the same and leaves the same line in the audit log, whichever process does it: the command
 * itself, for a data directory that nobody owns; the owner, asked over its socket; a server.
 */
interface Way {
  readonly server: TestServer;
  call(operation: Operation, input: object): Promise<unknown>;
}

/** Each case has an import of its own. */
const ID = '';
const ROWS = 'guid,uid\ng1,ann\ng1,bob\n';

let ways: readonly Way[];
const closing: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  const open = async () => {
    const server = await startTestServer();
    closing.push(() => server.close());
    return server;
  };
  const [here, owned, remote] = [await open(), await open(), await open()];
  const serving = await serveOwner(owned.dir, ownerAnswers(owned, importOwner(owned)));
  closing.unshift(() => serving.close());
  const server = connectToServer(remote.url, {});
  ways = [
    { server: here, call: (operation, input) => ownImports(here).call(operation as never, input as never) },
    { server: owned, call: (operation, input) => askOwner(owned.dir, operation as never, input, currentUser()) },
    { server: remote, call: (operation, input) => server.call(operation as never, input as never) },
  ];
});
afterAll(async () => {
  for (const close of closing) await close();
});

/** State of the import before the operation: `staged` is read and not sent. */
type Before = 'none' | 'staged' | 'finished';

const { pause, resume, cancel, act } = importOperations;
const CASES: readonly (readonly [what: string, before: Before, operation: Operation, input: object])[] = [
  ['pause an import that is only read', 'staged', pause, { id: ID }],
  ['pause an unknown import', 'none', pause, { id: ID }],
  ['resume a staged import', 'staged', resume, { id: ID }],
  ['resume with an option that is wrong', 'staged', resume, { id: ID, maxCreate: 'many' }],
  ['resume an import that is over', 'finished', resume, { id: ID }],
  ['cancel a staged import', 'staged', cancel, { id: ID }],
  ['cancel an unknown import', 'none', cancel, { id: ID }],
  ['tag an import', 'finished', act, { action: 'tag', ids: [ID], tags: { add: ['choir'] } }],
  ['tag an unknown import', 'none', act, { action: 'tag', ids: [ID], tags: { add: ['choir'] } }],
  ['tags without the action that takes them', 'finished', act, { action: 'dismiss', ids: [ID], tags: {} }],
  ['dismiss an import', 'finished', act, { action: 'dismiss', ids: [ID] }],
  ['delete an import', 'finished', act, { action: 'delete', ids: [ID] }],
];

/** Operations that the table does not run, and why. */
const NOT_YET: Readonly<Record<string, string>> = {
  'importOperations.list': 'no owner is asked: a command reads the catalog (three-ways.test.ts)',
  'importOperations.one': 'no owner is asked: a command reads the catalog (three-ways.test.ts)',
  'importOperations.sending': 'no command asks it',
  'importOperations.retry': 'an owner other than a server does not stay until a retry is over',
  'importOperations.remove': 'no command asks it; `act` deletes',
  'importOperations.journal': 'no command asks it',
  'importOperations.create': 'a file is a path here and a body there',
  'serviceOperations.regions': 'where nobody owns the directory, there are none',
  'serviceOperations.settings': 'only a server has settings of its own',
  'serviceOperations.audit': 'no command asks it',
};

test.each(CASES)('%s', async (what, before, operation, given) => {
  const id = what.replaceAll(/\W/g, '-');
  const input = { ...given, ...('id' in given ? { id } : { ids: [id] }) };
  const [here, ...others] = await Promise.all(
    ways.map(async ({ server, call }) => {
      await prepare(server, id, before);
      const done = await outcomeOf(call(operation, input));
      if (server.coordinator.lookUp(id)?.state === 'running') await server.coordinator.settled(id);
      const lines = server.access.audit({ limit: 1_000 }).filter(({ target }) => target === id);
      const noted = lines.map(({ action, detail }) => ({ action, detail }));
      return { done, noted, state: server.coordinator.lookUp(id)?.state, tags: server.coordinator.lookUp(id)?.tags };
    }),
  );
  for (const other of others) expect(other).toEqual(here);
});

test('each operation of these groups is in the table, or is named with the reason', () => {
  const run = new Set(CASES.map(([, , operation]) => operation));
  const left = Object.entries({ importOperations, serviceOperations }).flatMap(([group, operations]) =>
    Object.entries(operations as Record<string, Operation>).flatMap(([name, one]) =>
      run.has(one) ? [] : `${group}.${name}`,
    ),
  );
  expect(left.sort()).toEqual(Object.keys(NOT_YET).sort());
});

async function prepare({ coordinator, dir }: TestServer, id: string, before: Before): Promise<void> {
  if (before === 'none') return;
  const source = join(dir.root, 'thrice.csv');
  writeFileSync(source, ROWS);
  const options = importOptions.parse({ region: 'us', sandbox: true });
  await coordinator.create({ id, file: 'thrice.csv', source, options, start: before === 'finished' });
  await coordinator.settled(id);
}

/** The import that it was about and the results, or the code of the refusal: the rest of an import may move on meanwhile. */
async function outcomeOf(called: Promise<unknown>): Promise<unknown> {
  try {
    const { id, results } = (await called) as { readonly id?: string; readonly results?: unknown };
    return { id, results };
  } catch (error) {
    if (!(error instanceof RollcallError)) throw error;
    return { refused: error.code };
  }
}
