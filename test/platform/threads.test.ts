import { EventEmitter, once } from 'node:events';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { RollcallError } from '../../src/errors/rollcall-error.ts';
import { isLedgerError } from '../../src/platform/database-errors.ts';
import { openThread, type Thread } from '../../src/platform/threads.ts';
import type { SomeThread } from './some-thread.ts';

let thread: Thread<SomeThread>;
let notes: unknown[];
const told = new EventEmitter();

beforeEach(() => {
  notes = [];
  thread = openThread<SomeThread>(import.meta.url, './some-thread', {
    passesRows: true,
    onNote: (note) => {
      notes.push(note);
      told.emit('note');
    },
  });
});
afterEach(() => thread.end());

test('a thread answers several questions, each with its own answer', async () => {
  const answers = [1, 2, 3].map((number) => thread.ask('double', number));
  expect(await Promise.all(answers)).toEqual([2, 4, 6]);
});

test('what cannot be sent to a thread rejects, and the thread goes on', async () => {
  await expect(thread.ask('double', (() => 1) as never)).rejects.toThrow('be cloned');
  expect(await thread.ask('double', 1)).toBe(2);
});

test('an error keeps its class, code, facts, remedy and cause', async () => {
  const error = await thread.ask('refuse', 'refused').catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(RollcallError);
  expect(error).toMatchObject({
    code: 'CANNOT_CHECK',
    exit: 2,
    message: 'nothing is there; Look elsewhere',
    remedy: 'Look elsewhere',
    facts: { path: 'x', lines: [1, 2] },
    cause: { message: 'no room', code: 'ENOSPC' },
  });
  expect((error as Error).stack).toContain('some-thread');
});

test('every thread knows the errors of ledgers; of other classes, the name and the code are left', async () => {
  const ledger = await thread.ask('refuse', 'ledger').catch((thrown: unknown) => thrown);
  expect(isLedgerError(ledger)).toBe(true);
  expect(ledger).toMatchObject({ code: 'DAMAGED_LEDGER', cause: { code: 'ENOSPC' } });
  await expect(thread.ask('refuse', 'plain')).rejects.toMatchObject({ name: 'Error', code: 'ENOSPC' });
});

test('a stream is made as it is taken, and ends where no more is taken', async () => {
  const chunks = thread.stream('count', 1000);
  expect(Buffer.from((await chunks.next()).value ?? []).toString()).toBe('1\n');
  expect(Buffer.from((await chunks.next()).value ?? []).toString()).toBe('2\n');
  await chunks.return(undefined);
  await thread.ask('double', 1);
  expect(notes).toEqual([1, 2, 'ended']);
});

test('a stream may be some chunks ahead, and comes whole', async () => {
  let text = '';
  for await (const chunk of thread.stream('count', 5, 2)) text += Buffer.from(chunk).toString();
  expect(text).toBe('1\n2\n3\n4\n5\n');
});

test('an aborted call rejects with the reason, and the function is told', async () => {
  // A thread that is told late is not terminated.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const abort = new AbortController();
  const answer = thread.ask('untilAborted', null, abort.signal);
  await once(told, 'note');
  abort.abort(new Error('cancelled'));
  await expect(answer).rejects.toThrow('cancelled');
  expect(notes).toEqual(['begun', 'aborted']);
  expect(await thread.ask('double', 1)).toBe(2);
});

test('a thread that does not end an aborted call is terminated', async () => {
  const abort = new AbortController();
  const answer = thread.ask('block', new SharedArrayBuffer(4), abort.signal);
  await once(told, 'note');
  abort.abort(new Error('cancelled'));
  await expect(answer).rejects.toThrow('cancelled');
  await thread.ended;
});

test('a call whose signal is aborted already is not asked', async () => {
  await expect(thread.ask('exit', 1, AbortSignal.abort(new Error('cancelled')))).rejects.toThrow('cancelled');
  expect(await thread.ask('double', 1)).toBe(2);
});

test('when a thread ends, all that it was asked rejects, and so does what comes', async () => {
  const answers = [thread.ask('untilAborted', null), thread.ask('exit', 3)];
  const ended = 'the thread some-thread has ended';
  await Promise.all(answers.map((answer) => expect(answer).rejects.toThrow(ended)));
  await expect(thread.ask('double', 1)).rejects.toThrow(ended);
});

test('a thread that is asked once ends with the answer; one that leaves closes its streams', async () => {
  expect(await thread.askOnce('double', 4)).toBe(8);
  await thread.ended;
  const left: unknown[] = [];
  const other = openThread<SomeThread>(import.meta.url, './some-thread', { onNote: (note) => left.push(note) });
  await other.stream('count', 9).next();
  await other.leave();
  expect(left).toEqual([1, 'ended', 'left']);
});
