import { describe, expect, test } from 'vitest';
import { type Membership, SCOPES, type Scope } from '../../src/membership/membership.ts';
import { seededRandom } from '../../src/sandbox/injected-faults.ts';
import { csv, openPipeline, QUEUE_PLACES } from './pipeline-harness.ts';

describe.each(QUEUE_PLACES)('on the $name queue', (place) => {
  test('10,000 rows over 200 groups in random order take as few calls as possible and end as asked', async () => {
    const random = seededRandom(20);
    const rows: Membership[] = Array.from({ length: 10_000 }, (_, n) => ({
      region: 'us',
      guid: `group-${Math.floor(random() * 200)}`,
      uid: `user-${n}`,
      scope: SCOPES[Math.floor(random() * SCOPES.length)] ?? 'participant',
      onBehalfOf: '',
    }));
    const { run, counts, summary, sandbox } = await openPipeline({ place, concurrency: 20 });
    const { id, state } = await run(csv(rows));
    expect(state).toBe('completed');

    const groups = Map.groupBy(rows, ({ guid }) => guid);
    const calls = [...groups.values()].reduce((sum, members) => sum + Math.ceil(members.length / 25), 0);
    expect(sandbox.calls.us.requests).toBe(calls);
    expect(summary(id).calls).toBe(calls);
    const banned = rows.filter(({ scope }) => scope === 'ban').length;
    expect(counts(id)).toMatchObject({ read: 10_000, added: 10_000 - banned, banned });
    for (const [guid, members] of groups) {
      const expected = new Map<string, Scope>(members.map(({ uid, scope }) => [uid, scope]));
      expect(sandbox.members('us', guid)).toEqual(expected);
    }
  });
});
