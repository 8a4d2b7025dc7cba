import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { createRegionCircuit, type RegionCircuit, statusOf } from '../../src/imports/send/region-circuit.ts';
import { openRegionQueue } from '../../src/imports/send/region-queues.ts';
import { readCircuit } from '../../src/queue/circuit.ts';
import { NotYet } from '../../src/queue/job-definition.ts';
import { LOCK_MS } from '../../src/queue/job-worker.ts';
import { openBackend } from '../../src/queue/open-backend.ts';
import { isoTime } from '../../src/text/wording.ts';
import { eventually } from '../eventually.ts';
import { batchOf } from '../jobs/add-members-run.ts';

afterEach(() => {
  vi.useRealTimers();
});

const SILENT = { kind: 'again', code: 'HTTP_503', message: 'of the service', httpStatus: 503 } as const;
const ANSWERED = { at: 0, ms: 1, httpStatus: 200, code: '', kind: 'answered' } as const;

/**
 * The circuit of a worker, and whether its service answers questions.
 * @param lateMs the time after which the queue's server is found to be away; 0: it is there
 */
async function openCircuit({ lateMs = 0 } = {}) {
  vi.useFakeTimers({ toFake: ['Date', 'performance'], now: 1_000_000 });
  const backend = await openBackend();
  onTestFinished(() => backend.close());
  const fail = (error: Error) => expect.fail(error.message);
  const queue = openRegionQueue(backend, 'us', 'app', fail);
  onTestFinished(() => queue.close());
  await queue.setCallsPerMinute(1_000_000);
  const service = { answers: false };
  const waits: number[] = [];
  const asked: string[] = [];
  const told: string[] = [];
  const failures: string[] = [];
  const circuit = createRegionCircuit({
    queue: {
      readNote: async () => {
        vi.advanceTimersByTime(lateMs);
        if (lateMs > 0) throw new Error('Socket timeout');
        return queue.readNote('circuit');
      },
      swapNote: queue.swapNote,
      slowDown: queue.slowDown,
      endWait: queue.endWait,
    },
    others: [{ slowDown: async (ms) => void waits.push(ms), endWait: async () => void waits.push(0) }],
    chat: {
      getGroup: async (guid: string) => {
        asked.push(guid);
        if (!service.answers) throw new TypeError('no answer');
        return { httpStatus: 200, ms: 1 } as never;
      },
    },
    opened: () => told.push('met'),
    changed: ({ state }) => told.push(state),
    called: () => {},
    onError: lateMs > 0 ? ({ message }) => void failures.push(message) : fail,
  });
  return { circuit, service, waits, asked, told, failures, queue };
}

const job = (id: string) => {
  const payload = batchOf({ participants: ['p'] });
  const { signal } = new AbortController();
  return { id, payload, attemptsMade: 0, starts: 1, isLastAttempt: false, signal, update: async () => {} };
};

/** Lets jobs fail until the circuit is open. */
async function open(circuit: RegionCircuit): Promise<void> {
  for (const id of ['a', 'b']) expect(await circuit.unanswered(id, SILENT, Date.now())).not.toHaveProperty('waitMs');
  vi.setSystemTime(Date.now() + 2_000);
  expect(await circuit.unanswered('c', SILENT, Date.now())).toEqual({ waitMs: 1_000 });
}

test('jobs wait while the circuit is open, until a question is answered and then a call', async () => {
  const { circuit, service, waits, asked, told } = await openCircuit();
  await open(circuit);
  await expect(circuit.admit(job('a'), () => expect.fail('called'))).rejects.toMatchObject({ waitMs: 1_000 });
  expect([told, asked]).toEqual([['open', 'met'], []]);
  vi.setSystemTime(Date.now() + 1_000);
  service.answers = true;
  await circuit.admit(job('a'), async () => circuit.called(ANSWERED));
  expect([asked, told]).toEqual([['g'], ['open', 'met', 'met', 'closed']]);
  // Questions in a queue of their own wait and go on with the rest.
  await eventually(() => waits).toEqual([1_000, 0]);
});

test('tells of a reply its code alone, as its message may name users, and of a call without one what the network said', async () => {
  for (const [verdict, message] of [
    [SILENT, ''],
    [{ ...SILENT, httpStatus: null }, SILENT.message],
  ] as const) {
    const { circuit, queue } = await openCircuit();
    await circuit.unanswered('a', verdict, Date.now());
    expect(readCircuit(await queue.readNote('circuit'))).toMatchObject({ code: 'HTTP_503', message });
  }
});

test('a probe whose question is answered and whose call is not uses an attempt: other calls are answered', async () => {
  const { circuit, service, told } = await openCircuit();
  await open(circuit);
  vi.setSystemTime(Date.now() + 1_000);
  service.answers = true;
  await circuit.admit(job('a'), async () => {
    expect(await circuit.unanswered('a', SILENT, Date.now())).toEqual({ answeredAt: Date.now(), recoveredAt: null });
    // A call that began earlier is not the probe.
    expect(await circuit.unanswered('b', SILENT, Date.now())).toEqual({ waitMs: 2_000 });
  });
  expect(told).toEqual(['open', 'met']);
});

test('a call that is answered at its repeat shows that the service fails now and then', async () => {
  const { circuit } = await openCircuit();
  for (const recovers of [false, true]) {
    circuit.called(ANSWERED, undefined, { recovers });
    const recoveredAt = recovers ? Date.now() : null;
    await eventually(() => circuit.unanswered('a', SILENT, Date.now())).toMatchObject({ recoveredAt });
  }
});

test('a job whose lock may have run out while the server of the queue was away is left to the worker that has it now', async () => {
  const sent: string[] = [];
  const soon = await openCircuit({ lateMs: LOCK_MS - 1 });
  await soon.circuit.admit(job('a'), async () => void sent.push('a'));
  const late = await openCircuit({ lateMs: LOCK_MS });
  await expect(late.circuit.admit(job('b'), async () => void sent.push('b'))).rejects.toBeInstanceOf(NotYet);
  expect(sent).toEqual(['a']);
});

test('errors of the queue are reported until the circuit is closed', async () => {
  const { circuit, failures } = await openCircuit({ lateMs: 1 });
  await circuit.admit(job('a'), async () => {});
  expect(failures).toEqual(['Socket timeout']);
  circuit.close();
  await circuit.admit(job('a'), async () => {});
  expect(failures).toHaveLength(1);
});

test('faults of ours say nothing about the service, but one in reading an answer says that there was one', async () => {
  const { circuit, told, queue } = await openCircuit();
  for (let ms = 0; ms < 10_000; ms += 1_000) {
    vi.setSystemTime(1_000_000 + ms);
    expect(await circuit.unanswered('a', { ...SILENT, code: 'WORKER_FAULT' }, Date.now())).toEqual({});
  }
  expect(told).toEqual([]);
  const fault = { ...ANSWERED, kind: 'again', code: 'WORKER_FAULT' } as const;
  circuit.called({ ...fault, httpStatus: null });
  circuit.called(fault, undefined, { recovers: true });
  await eventually(async () => readCircuit(await queue.readNote('circuit'))).toMatchObject({
    answeredAt: Date.now(),
    // The repeat has failed as the call before it did.
    recoveredAt: null,
  });
});

test('a wait that the service asks for is known to all until a call is answered without one', async () => {
  const { circuit, queue } = await openCircuit();
  const waitsUntil = async () => statusOf(readCircuit(await queue.readNote('circuit')), Date.now()).waitsUntil;
  circuit.called({ ...ANSWERED, httpStatus: 429, kind: 'slow-down' }, { askedMs: 3_600_000 });
  await eventually(waitsUntil).toBe(isoTime(Date.now() + 3_600_000));
  circuit.called(ANSWERED, {});
  await eventually(waitsUntil).toBe(null);
});
