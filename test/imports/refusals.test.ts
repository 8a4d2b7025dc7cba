import { describe, expect, test } from 'vitest';
import type { Rate } from '../../src/chat/rate-headers.ts';
import { ACTOR_OUTSIDE, KNOWN_CODES } from '../../src/chat/service/codes.ts';
import { asFlag } from '../../src/errors/named-options.ts';
import { RollcallError } from '../../src/errors/rollcall-error.ts';
import { reasonFor } from '../../src/imports/reason-codes.ts';
import { refusing } from './doorkeeper.ts';
import { csv, eventually, openPipeline, participants, QUEUE_PLACES, reached } from './pipeline-harness.ts';

/**
 * Codes that concern every call, or the whole group: such a call is not sent again in parts. The code of an acting user outside the
 * group concerns all whom that user adds.
 */
const OF_ALL =
  /^(AUTH_ERR_|ERR_(MISSION|OPERATION)_FAILED|ERR_(EXCEPTION|BAD_ERROR_RESPONSE)|ERR_[A-Z_]+_(CHANGE|DELETE|BAN|UNBAN)_FAILED|ERR_TOO_MANY|ERR_GUID_NOT|ERR_NO_VACANCY|ERR_(PLAN|SUBSCRIPTION)_|ERR_API_NOT|ERR_INVALID_API)/;

const refusal = (httpStatus: number, serviceCode: string | null, serviceMessage = 'no', rate: Rate = {}) =>
  new RollcallError('REFUSED', { httpStatus, serviceCode, serviceMessage, rate });

describe.each(QUEUE_PLACES)('on the $name queue', (place) => {
  describe('a group that the service refuses', () => {
    test('costs no more calls than were under way, and the other groups go on', async () => {
      const { run, rows, sandbox } = await openPipeline({ place, concurrency: 4, sandbox: { groups: 1 } });
      const { id, state } = await run(csv([...participants(500, 'nowhere'), ...participants(100, 'group-1')]));
      expect(state).toBe('completed');
      for (const row of rows(id)) {
        if (row.guid === 'group-1') expect(row.status).toBe('added');
        else expect(row).toMatchObject({ status: 'failed', code: 'ERR_GUID_NOT_FOUND' });
      }
      // 20 batches of a group that is not there, 4 at a time; and 4 of the one that is.
      expect(sandbox.calls.us.requests).toBeLessThanOrEqual(4 + 4 + 4);
    });

    test('leaves rows unconfirmed that an earlier call may have put into it', async () => {
      let calls = 0;
      const { run, rows, counts } = await openPipeline({
        place,
        concurrency: 1,
        chat: refusing(() => {
          calls += 1;
          if (calls === 1) throw refusal(503, null, 'come back in a minute', { waitMs: 60_000 });
          throw refusal(403, 'ERR_NO_VACANCY', 'full');
        }),
      });
      const { id } = await run(csv(participants(75)));
      // The third was under way before the second was understood.
      expect(calls).toBeLessThanOrEqual(3);
      expect(counts(id)).toMatchObject({ failed: 50, unconfirmed: 25 });
      const first = (status: string) => rows(id).find((row) => row.status === status);
      expect(first('unconfirmed')).toMatchObject({ code: 'ERR_NO_VACANCY', attempts: 1 });
      expect(first('unconfirmed')?.message).toContain('earlier call');
    });

    test('leaves none unconfirmed where the group is not there: nothing can have been put into it', async () => {
      let calls = 0;
      const { run, rows, counts } = await openPipeline({
        place,
        concurrency: 1,
        chat: refusing(() => {
          calls += 1;
          if (calls === 1) throw refusal(503, null, 'come back in a minute', { waitMs: 60_000 });
          throw refusal(404, 'ERR_GUID_NOT_FOUND', 'no such group');
        }),
      });
      const { id } = await run(csv(participants(75)));
      expect(counts(id)).toMatchObject({ failed: 75, unconfirmed: 0 });
      expect(new Set(rows(id).map(({ code }) => code))).toEqual(new Set(['ERR_GUID_NOT_FOUND']));
    });
  });

  test('a refused call is cut in half until only the UID is left that causes it', async () => {
    const { run, rows, sandbox, summary } = await openPipeline({
      place,
      chat: refusing(([, lists]) => {
        if (lists.participants?.includes('u13')) throw refusal(400, 'ERR_BAD_REQUEST', 'bad');
      }),
    });
    const { id } = await run(csv(participants(25)));
    for (const row of rows(id)) {
      if (row.uid === 'u13') expect(row).toMatchObject({ status: 'failed', code: 'ERR_BAD_REQUEST', message: 'bad' });
      else expect(row).toMatchObject({ status: 'added' });
    }
    expect(sandbox.members('us', 'g').size).toBe(24);
    // 25, 13 of them, 7, 4 or 3, 2 or 1 …: at most two halves on each of five levels.
    expect(summary(id).calls).toBeLessThanOrEqual(1 + 2 * 5);
  });

  test('one row never fails its neighbours, whatever the code of the refusal is and whoever acts', async () => {
    const unlisted = ['ERR_GROUP_NO_SELF_ACTION', 'ERR_GROUP_NEW', 'ERR_NEVER_HEARD_OF'];
    const codes = [...KNOWN_CODES, ...unlisted].filter((code) => !OF_ALL.test(code));
    const { run, rows } = await openPipeline({
      place,
      sandbox: { behaviour: { actingUser: 'anybody' } },
      chat: refusing(([guid, lists]) => {
        if (lists.participants?.includes('u3'))
          throw refusal(guid.endsWith('-for') ? 401 : 409, guid.split('-')[0] ?? '');
      }),
    });
    const groups = codes.flatMap((code) => {
      const alone = participants(5, `${code}-alone`);
      const acting = participants(5, `${code}-for`).map((row) => ({ ...row, onBehalfOf: 'boss' }));
      return code === ACTOR_OUTSIDE ? [alone] : [alone, acting];
    });
    const { id } = await run(csv(groups.flat()));
    for (const { guid, uid, status, code } of rows(id)) {
      if (uid === 'u3') expect(code).toBe(guid.split('-')[0]);
      else expect([guid, uid, status]).toEqual([guid, uid, 'added']);
    }
  });

  test('what an acting user may not add fails alone: a call is sent again list by list first', async () => {
    const { run, rows, sandbox } = await openPipeline({
      place,
      sandbox: {
        behaviour: { moderatorsAdd: 'participants' },
        seed: { regions: { us: { members: { g: { moderators: ['mod'] } } } } },
      },
    });
    const file = participants(24).map((row) => ({ ...row, onBehalfOf: 'mod' }));
    const admin = { guid: 'g', uid: 'chief', scope: 'admin', onBehalfOf: 'mod' } as const;
    const { id } = await run(csv([...file, admin]));
    for (const { uid, status, code } of rows(id)) {
      if (uid === 'chief') expect([status, code]).toEqual(['failed', 'ERR_GROUP_NO_SCOPE_CLEARANCE']);
      else expect([uid, status]).toEqual([uid, 'added']);
    }
    // All 25, 24 participants, one admin.
    expect(sandbox.calls.us.requests).toBe(3);
  });

  test('a service that takes one UID per call gets one UID per call in the end', async () => {
    const { run, counts } = await openPipeline({ place, sandbox: { behaviour: { maxUidsPerCall: 1 } } });
    const { id } = await run(csv(participants(10)));
    expect(counts(id)).toMatchObject({ added: 10 });
  });

  test('a delivery that was uncertain before a call was split is uncertain afterwards', async () => {
    let calls = 0;
    const { run, rows, sandbox } = await openPipeline({
      place,
      sandbox: { faults: 'reset-after=1' },
      askBeforeRepeat: 'never',
      chat: (service) => ({
        ...service,
        addMembers: (...call) => {
          calls += 1;
          if (calls === 2) throw refusal(413, null);
          return service.addMembers(...call);
        },
      }),
    });
    const { id } = await run(csv(participants(4)));
    expect(sandbox.members('us', 'g').size).toBe(4);
    for (const row of rows(id)) {
      expect(row).toMatchObject({ status: 'already_member', attempts: 3 });
      expect(row.message).toContain('earlier call');
    }
  });

  describe('a region whose key is refused', () => {
    const rows = [
      ...participants(200).map((row) => ({ ...row, region: 'us' as const })),
      ...participants(200).map((row) => ({ ...row, region: 'eu' as const })),
      ...participants(200).map((row) => ({ ...row, region: 'in' as const })),
    ];

    test('waits while the others complete, consumes nothing, and continues after a fix', async () => {
      const pipeline = await openPipeline({ place, apiKeys: { eu: 'not-the-key-of-this-app' } });
      const { id, state, reason } = await pipeline.run(csv(rows));
      expect(state).toBe('blocked');
      expect(reason).toContain('eu: AUTH_ERR_APIKEY_NOT_FOUND');
      expect(pipeline.counts(id)).toMatchObject({ read: 600, added: 400, unprocessed: 200 });
      // Not more than were under way at the same time.
      expect(pipeline.sandbox.calls.eu.requests).toBeLessThanOrEqual(10);

      await pipeline.stop();
      await pipeline.restart();
      await pipeline.coordinator.resume(id);
      expect((await pipeline.coordinator.settled(id)).state).toBe('completed');
      expect(pipeline.counts(id)).toMatchObject({ added: 600 });
      expect(pipeline.sandbox.members('eu', 'g').size).toBe(200);
      expect(pipeline.sandbox.calls.us.requests).toBe(8);
    });

    test('is blocked again when resume comes before a fix', async () => {
      const { run, coordinator, counts } = await openPipeline({ place, apiKeys: { eu: 'not-the-key-of-this-app' } });
      const { id } = await run(csv(rows));
      await coordinator.resume(id);
      await eventually(() => coordinator.find(id).state).toBe('blocked');
      expect(counts(id)).toMatchObject({ added: 400, unprocessed: 200 });
    });

    test('can be given up: what is left is unprocessed', async () => {
      const { run, coordinator, counts } = await openPipeline({ place, apiKeys: { eu: 'not-the-key-of-this-app' } });
      const { id } = await run(csv(rows));
      await coordinator.cancel(id);
      await eventually(() => coordinator.find(id).state).toBe('cancelled');
      expect(counts(id)).toMatchObject({ added: 400, unprocessed: 200 });
    });

    test('blocks the import also when another call of it goes back to the queue at that moment', async () => {
      let calls = 0;
      const second = Promise.withResolvers<void>();
      const stopped = Promise.withResolvers<void>();
      const pipeline = await openPipeline({
        place,
        concurrency: 2,
        chat: refusing(async () => {
          calls += 1;
          if (calls === 1) {
            await second.promise;
            throw refusal(401, 'AUTH_ERR_APIKEY_NOT_FOUND');
          }
          second.resolve();
          await stopped.promise;
          throw new RollcallError('CONNECTION_LOST', { what: 'broken', maybeCarriedOut: true });
        }),
      });
      const id = await pipeline.send(csv(participants(100)));
      await eventually(() => pipeline.openRegions.get('us')?.queue.isPaused()).toBe(true);
      await eventually(() => pipeline.openRegions.get('us')?.queue.depth()).toEqual({
        waiting: 0,
        delayed: 0,
        active: 1,
        setAside: 0,
      });
      stopped.resolve();
      expect((await pipeline.coordinator.settled(id)).state).toBe('blocked');
      // The broken call leaves delivery uncertain: cancelled now, its rows are not reported as unsent.
      await pipeline.coordinator.cancel(id);
      await eventually(() => pipeline.coordinator.find(id).state).toBe('cancelled');
      expect(pipeline.counts(id)).toMatchObject({ unconfirmed: 25, unprocessed: 75 });
    });

    test('stops every import that sends there', async () => {
      let refused = true;
      const both = Promise.withResolvers<void>();
      const { coordinator, send, counts, ...pipeline } = await openPipeline({
        place,
        concurrency: 1,
        chat: refusing(async () => {
          await both.promise;
          if (refused) throw refusal(401, 'AUTH_ERR_APIKEY_NOT_FOUND');
        }),
      });
      const ids = [await send(csv(participants(500, 'one'))), await send(csv(participants(500, 'two')))];
      for (const id of ids) await reached(coordinator, id, 'running');
      await eventually(async () => (await pipeline.openRegions.get('us')?.queue.depth())?.waiting).toBe(39);
      both.resolve();
      for (const id of ids) {
        const record = await coordinator.settled(id);
        expect(record.state).toBe('blocked');
        expect(record.reason).toContain('us: AUTH_ERR_APIKEY_NOT_FOUND');
      }
      refused = false;
      for (const id of ids) {
        await coordinator.resume(id);
        expect((await coordinator.settled(id)).state).toBe('completed');
        expect(counts(id)).toMatchObject({ added: 500 });
      }
    });

    test('goes on with resume also while the other regions are still running', async () => {
      let fixed = false;
      const others = Promise.withResolvers<void>();
      const pipeline = await openPipeline({
        place,
        chat: refusing(async (_call, region) => {
          if (region !== 'eu') await others.promise;
          else if (!fixed) throw refusal(401, 'AUTH_ERR_APIKEY_NOT_FOUND');
        }),
      });
      const { coordinator, send, sandbox, counts, openRegions } = pipeline;
      const id = await send(csv(rows));
      await eventually(() => openRegions.get('eu')?.queue.isPaused()).toBe(true);
      // Every refusal is recorded: none stops the region after the fix.
      await eventually(async () => (await openRegions.get('eu')?.queue.depth())?.active).toBe(0);
      fixed = true;
      expect((await coordinator.resume(id)).state).toBe('running');
      await eventually(() => sandbox.members('eu', 'g').size).toBe(200);
      others.resolve();
      expect((await coordinator.settled(id)).state).toBe('completed');
      expect(counts(id)).toMatchObject({ added: 600 });
    });
  });

  test('a region without an app: the file is read, nothing is sent, and resume goes on when there is one', async () => {
    const pipeline = await openPipeline({ place, regions: ['us'] });
    const rows = [...participants(50), ...participants(50).map((row) => ({ ...row, region: 'in' as const }))];
    const record = await pipeline.run(csv(rows));
    const { id, state, code } = record;
    expect([state, code]).toEqual(['staged', 'REGION_WITHOUT_APP']);
    expect(reasonFor(record, asFlag)).toBe(
      'rows are for region in, which has no app. Set ROLLCALL_IN_APP_ID and ROLLCALL_IN_API_KEY, then resume the import',
    );
    await expect(pipeline.coordinator.resume(id)).rejects.toThrow(
      expect.objectContaining({ code: 'REGION_WITHOUT_APP' }),
    );
    expect(pipeline.counts(id)).toMatchObject({ read: 100, unprocessed: 100 });
    expect(pipeline.sandbox.calls.us.requests).toBe(0);

    await pipeline.stop();
    await pipeline.restart();
    await pipeline.coordinator.resume(id);
    expect((await pipeline.coordinator.settled(id)).state).toBe('completed');
    expect(pipeline.counts(id)).toMatchObject({ added: 100 });
  });
});
