import { expect, test } from 'vitest';
import { createResultSender } from '../../src/imports/send/result-queues.ts';
import { openMemory } from '../../src/queue/memory.ts';

test('a result or an answer that does not say where it goes is named in the error', async () => {
  const { deliver, answer } = createResultSender(openMemory(), () => {});
  const result = { batch: 7, region: 'us', calls: [], uncertainty: null, at: 0 } as const;
  const sent = { kind: 'answered', others: [], missing: [] } as const;
  expect(() => deliver({ importId: 'imp-1', replyTo: null }, { ...result, sent })).toThrow(/batch 7 of import imp-1/);
  const refused = { kind: 'refused', region: false, code: '', message: '' } as const;
  await expect(answer({ requestId: 'read-3', replyTo: null }, refused)).rejects.toThrow(/question read-3/);
});
