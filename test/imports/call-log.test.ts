import { expect, test } from 'vitest';
import { callLog } from '../../src/app/call-log.ts';
import { createLog, type LogStream } from '../../src/platform/log.ts';
import type { LogLevel } from '../../src/platform/settings.ts';
import { csv, EMBEDDED, eventually, openPipeline, participants } from './pipeline-harness.ts';

/** A log whose lines a test reads. */
function journal(level: LogLevel) {
  const lines: string[] = [];
  const stream: LogStream = { write: (line) => lines.push(line) };
  return {
    log: createLog({ level, stream }),
    text: () => lines.join(''),
    /** Lines of one kind, as documents. */
    of: (msg: string) => lines.map((line) => JSON.parse(line)).filter((line) => line.msg === msg),
  };
}

test('a 429, a retry and a refused batch leave a line each, with import, region, batch, attempt and code', async () => {
  const { log, of, text } = journal('info');
  const { run, failures } = await openPipeline({
    place: EMBEDDED,
    log,
    concurrency: 1,
    sandbox: { groups: 0, seed: { regions: { us: { members: { known: {} } } } }, faults: 'too-many=1,unavailable=1' },
  });
  const { id } = await run(csv([...participants(30, 'known'), ...participants(2, 'unheard-of', 'x')]));
  const about = { level: 'warn', import: id, region: 'us', batch: expect.any(Number), job: 'add-members' };
  expect(of('rate limit')).toMatchObject([
    { ...about, attempt: 1, status: 429, code: 'ERR_TOO_MANY_REQUESTS', waitMs: expect.any(Number) },
  ]);
  expect(of('retry')).toMatchObject([{ ...about, attempt: 1, status: 503, code: 'HTTP_503' }]);
  expect(of('refused')).toMatchObject([{ ...about, attempt: 1, code: 'ERR_GUID_NOT_FOUND' }]);
  expect(of('import').map(({ state }) => state)).toEqual(['staging', 'staged', 'running', 'completed']);
  expect(of('call answered')).toEqual([]);
  expect(text()).not.toMatch(/unheard-of|"x1"|u1\b/);
  expect(failures).toEqual([]);
});

test('a fault of ours says what it is, also where it met an answer of the service', () => {
  const { log, of } = journal('info');
  const message = 'undefined is not a function';
  const about = {
    share: undefined,
    job: 'add-members',
    operation: 'add-members',
    attempt: 1,
    message,
    requestId: null,
  };
  for (const httpStatus of [null, 200]) {
    const call = { at: 0, ms: 1, httpStatus, code: 'WORKER_FAULT', kind: 'again' } as const;
    callLog(log).called?.('us', call, undefined, about);
  }
  expect(of('retry')).toMatchObject([
    { status: null, code: 'WORKER_FAULT', message },
    { status: 200, code: 'WORKER_FAULT', message },
  ]);
});

test('an outage leaves a line when it begins and one when it ends', async () => {
  const { log, of } = journal('info');
  const { coordinator, sandbox, send } = await openPipeline({
    place: EMBEDDED,
    log,
    sandbox: { faults: 'reset-before' },
  });
  const id = await send(csv(participants(100)));
  await eventually(() => of('the service does not answer, its jobs wait')).toHaveLength(1);
  sandbox.faults.clear();
  await coordinator.settled(id);
  expect(of('the service does not answer, its jobs wait')).toMatchObject([
    { level: 'warn', region: 'us', since: expect.any(String), code: expect.stringMatching(/^CONNECT/) },
  ]);
  expect(of('the service answers again')).toMatchObject([{ level: 'info', region: 'us' }]);
});

test('debug adds every answered call, and what the service said', async () => {
  const { log, of } = journal('debug');
  const { run } = await openPipeline({
    place: EMBEDDED,
    log,
    sandbox: { groups: 0, seed: { regions: { us: { members: { known: {} } } } } },
  });
  await run(csv([...participants(30, 'known'), ...participants(1, 'unheard-of')]));
  expect(of('call answered')).toHaveLength(2);
  expect(of('refused')).toMatchObject([{ message: expect.stringContaining('unheard-of') }]);
});
