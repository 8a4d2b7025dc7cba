import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { addMembers } from '../../jobs/add-members.ts';
import { type EditMemberPayload, editMember } from '../../jobs/edit-member.ts';
import { startJobWorker } from '../../src/queue/job-worker.ts';
import { openPipeline } from '../imports/pipeline-harness.ts';
import { Journal } from '../queue/journal.ts';
import { startRedis } from '../servers/redis.ts';
import type { TestServer } from '../servers/server.ts';
import { eventually, openFleet } from './fleet.ts';
import { queuePlace, REDIS } from './places.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startRedis();
  return () => server.stop();
});

const seed = { regions: { us: { members: { team: { participants: ['pat', 'pit'] } } } } };

test('a worker that knows additions only leaves an edit to a newer one, and never adds the member instead', async () => {
  const fleet = await openFleet(server, { seed });
  const removal: EditMemberPayload = {
    version: 2,
    importId: 'imp',
    replyTo: 'outcomes-nobody',
    batch: 1,
    region: 'us',
    guid: 'team',
    onBehalfOf: '',
    doubt: null,
    calls: [],
    handedBack: 0,
    row: 1,
    uid: 'pat',
    edit: { action: 'remove' },
  };
  await fleet.queue('us').add([{ id: 'imp-1', name: editMember.name, payload: removal }]);
  const errors = new Journal<string>();
  // Before there were edits, whatever was in this queue was taken for an addition: only the version tells.
  const old = startJobWorker({
    backend: fleet.backend,
    queue: fleet.queue('us'),
    definitions: [{ ...addMembers, name: editMember.name }],
    ports: undefined as never,
    concurrency: 1,
    onError: ({ message }) => errors.note(message),
  });
  onTestFinished(() => old.close());
  expect(await errors.until(1)).toEqual([expect.stringContaining('has version 2 and this rollcall knows 1')]);
  await old.close();
  expect(fleet.calls()).toBe(0);

  await fleet.worker(['us']);
  await eventually(() => [...fleet.sandbox.members('us', 'team').keys()]).toEqual(['pit']);
  expect(fleet.calls()).toBe(1);
});

test('an import of edits does over Redis what it does on the embedded queue', async () => {
  const { run, rows, sandbox } = await openPipeline({
    place: queuePlace(REDIS, () => server),
    sandbox: { seed, faults: 'reset-after=1,too-many=1' },
    concurrency: 1,
  });
  const lines = ['pat,,remove', 'pit,admin,change', 'new,participant,add'];
  const { id } = await run(`guid,uid,scope,action\n${lines.map((line) => `team,${line}`).join('\n')}\n`, {
    edits: true,
  });
  // The first call was carried out and its answer lost.
  const first = rows(id).find(({ attempts }) => attempts > 1);
  expect(first?.message).toContain('it may be by an earlier call');
  expect(rows(id).map(({ status }) => status)).toEqual(['removed', 'changed', 'added']);
  expect(Object.fromEntries(sandbox.members('us', 'team'))).toEqual({ pit: 'admin', new: 'participant' });
});
