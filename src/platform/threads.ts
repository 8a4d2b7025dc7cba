import { addAbortListener } from 'node:events';
import { extname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, Worker } from 'node:worker_threads';
import { asError, RollcallError } from '../errors/rollcall-error.ts';
import { defined } from './defined.ts';

/**
 * Work in threads. A file `x-thread.ts` serves functions by name, and another thread opens it and asks:
 *
 *   export type StageThread = { stage: (task: StagingTask) => Staged };              // beside the one who asks
 *   serve<StageThread>({ stage });                                                   // in stage-thread.ts
 *   openThread<StageThread>(import.meta.url, './stage-thread').askOnce('stage', task);
 *
 * What is asked and answered is copied, but bytes that are an answer or a chunk of a stream are handed over.
 */

/** Functions that a thread serves. One that returns an iterator gives a stream. Bytes that one returns must own their buffer. */
export type Served = Readonly<Record<string, (input: never, signal: AbortSignal) => unknown>>;
export type Input<Own extends Served, Kind extends keyof Own> = Parameters<Own[Kind]>[0];
export type Answer<Own extends Served, Kind extends keyof Own> = Awaited<ReturnType<Own[Kind]>>;

type Message =
  | { readonly id: number; readonly kind: string; readonly input: unknown }
  | { readonly abort: number }
  | { readonly leave: true };
type Reply =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: PackedError }
  | { readonly note: unknown }
  | { readonly loaded: true };

/** Functions of every thread: the next chunk of a stream, by the id of the message that began it, and its end. */
const NEXT = 'stream:next';
const END = 'stream:end';

interface ThreadOptions {
  /** Heap in MB; not given: that of the process. */
  readonly heapMb?: number | undefined;
  /** It keeps none of the rows that pass it. Without it, V8 collects three times 16 MB of garbage before it cleans up. */
  readonly passesRows?: true;
  /** Takes what the thread tells between its answers. */
  readonly onNote?: (note: unknown) => void;
  /** Is called when it has failed, ended or is about to end, before what it was asked rejects. */
  readonly onLost?: () => void;
}

/** Time in which a call that is aborted should end by itself, in ms; then its thread is terminated. */
const GRACE_MS = 250;
/** Time in which a terminated thread ends, unless it is in the middle of a long SQL statement, in ms. */
const TERMINATION_MS = 500;

/** A thread that serves `Own`. It ends with `end` or `leave`, and with the process. */
export type Thread<Own extends Served> = ReturnType<typeof openThread<Own>>;

/** Starts a file beside the caller's as a thread. @param name such as `./stage-file`; the ending is the caller's */
export function openThread<Own extends Served>(
  caller: string,
  name: string,
  { heapMb, passesRows, onNote, onLost }: ThreadOptions = {},
) {
  const worker = new Worker(new URL(`${name}${extname(caller)}`, caller), {
    resourceLimits: defined({ maxYoungGenerationSizeMb: passesRows && 6, maxOldGenerationSizeMb: heapMb }),
  });
  const loaded = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const asked = new Map<number, PromiseWithResolvers<unknown>>();
  let lastId = 0;
  let lost: Error | undefined;

  const lose = (cause: Error) => {
    if (lost !== undefined) return;
    lost = cause;
    onLost?.();
    for (const { reject } of asked.values()) reject(cause);
    asked.clear();
  };
  worker.on('message', (reply: Reply) => {
    if ('note' in reply) return onNote?.(reply.note);
    if ('loaded' in reply) return loaded.resolve();
    const answer = asked.get(reply.id);
    asked.delete(reply.id);
    if ('error' in reply) answer?.reject(unpackError(reply.error));
    else answer?.resolve(reply.result);
  });
  worker.on('error', (cause) => lose(asError(cause)));
  worker.on('exit', () => {
    lose(new Error(`the thread ${name.slice(2)} has ended`));
    ended.resolve();
  });

  const post = (message: Message) => worker.postMessage(message);
  const send: Send = (kind, input) => {
    lastId += 1;
    if (lost !== undefined) return { id: lastId, answer: Promise.reject(lost) };
    const answer = Promise.withResolvers<unknown>();
    post({ id: lastId, kind, input });
    asked.set(lastId, answer);
    return { id: lastId, answer: answer.promise };
  };

  /** Ends it at once. A long SQL statement cannot be interrupted: then it resolves soon, and the thread ends after it. */
  const end = async () => {
    lose(new Error('it was ended'));
    void worker.terminate();
    await Promise.race([ended.promise, sleep(TERMINATION_MS, undefined, { ref: false })]);
  };

  /**
   * Rejects with what the function throws, or with what has ended the thread; when the signal is aborted, with its reason:
   * a thread that does not end the call soon is then terminated.
   */
  const ask = async <Kind extends string & keyof Own>(
    kind: Kind,
    input: Input<Own, Kind>,
    signal?: AbortSignal,
  ): Promise<Answer<Own, Kind>> => {
    signal?.throwIfAborted();
    const { id, answer } = send(kind, input);
    if (signal === undefined) return answer as Promise<Answer<Own, Kind>>;
    let timer: NodeJS.Timeout | undefined;
    using _ = addAbortListener(signal, () => {
      post({ abort: id });
      timer = setTimeout(end, GRACE_MS);
    });
    try {
      return (await answer) as Answer<Own, Kind>;
    } finally {
      clearTimeout(timer);
      // Answers that arrive after an abort are dropped.
      signal.throwIfAborted();
    }
  };

  return {
    /** Resolves when its modules are loaded. */
    loaded: loaded.promise,
    /** Resolves when it has ended. */
    ended: ended.promise,
    ask,
    /** The same as `ask`, and ends the thread. */
    askOnce: ((kind, input, signal) => ask(kind, input, signal).finally(end)) as typeof ask,
    /** The chunks of a stream, made as they are taken. A caller that does not take them all must call `return`. @param ahead made before they are taken */
    stream: <Kind extends string & keyof Own>(kind: Kind, input: Input<Own, Kind>, ahead = 0) =>
      chunksOf(send, kind, input, ahead),
    /** Closes its streams and lets it end. Calls that are under way then get no answer. */
    leave: () => {
      if (lost === undefined) post({ leave: true });
      return ended.promise;
    },
    end,
  };
}

type Send = (kind: string, input: unknown) => { readonly id: number; readonly answer: Promise<unknown> };

async function* chunksOf(send: Send, kind: string, input: unknown, ahead: number): AsyncGenerator<Uint8Array> {
  const { id, answer } = send(kind, input);
  const take = () => {
    const chunk = send(NEXT, id).answer;
    // Its error is thrown where it is awaited, and no one may be waiting any more.
    chunk.catch(() => {});
    return chunk;
  };
  try {
    await answer;
    const chunks = Array.from({ length: ahead }, take);
    for (;;) {
      const chunk = await (chunks.shift() ?? take());
      if (chunk === undefined) return;
      if (ahead > 0) chunks.push(take());
      yield chunk as Uint8Array;
    }
  } finally {
    send(END, id).answer.catch(() => {});
  }
}

/** Tells the opener of this thread something between its answers. */
export function tellOpener(note: unknown) {
  reply({ note });
}

/** Serves these functions in this thread. @param leaving is called before it leaves */
export function serve<Own extends Served>(served: Own, leaving?: () => void) {
  const streams = new Map<number, Iterator<string | Uint8Array>>();
  const underWay = new Map<number, AbortController>();
  const encoder = new TextEncoder();

  const all: Served = {
    ...served,
    [NEXT]: (stream: number) => {
      const { done = true, value } = streams.get(stream)?.next() ?? {};
      if (done) streams.delete(stream);
      else return typeof value === 'string' ? encoder.encode(value) : value.slice();
    },
    [END]: (stream: number) => {
      streams.get(stream)?.return?.();
      streams.delete(stream);
    },
  };

  parentPort?.on('message', async (message: Message) => {
    if ('abort' in message) return underWay.get(message.abort)?.abort();
    if ('leave' in message) {
      for (const stream of streams.values()) stream.return?.();
      leaving?.();
      return parentPort?.close();
    }
    const { id, kind, input } = message;
    const abort = new AbortController();
    underWay.set(id, abort);
    try {
      const result = await all[kind]?.(input as never, abort.signal);
      if (isIterator(result)) {
        streams.set(id, result);
        reply({ id, result: undefined });
      } else reply({ id, result }, result instanceof Uint8Array ? [result.buffer as ArrayBuffer] : []);
    } catch (error) {
      reply({ id, error: packError(error) });
    }
    underWay.delete(id);
  });
  reply({ loaded: true });
}

function reply(message: Reply, transfer: ArrayBuffer[] = []) {
  parentPort?.postMessage(message, transfer);
}

function isIterator(result: unknown): result is Iterator<string | Uint8Array> {
  return typeof result === 'object' && result !== null && 'next' in result && typeof result.next === 'function';
}

/** Errors on their way between threads: a copy that Node makes has neither their class nor what they say beside the message. */

interface PackedError {
  /** With `code`, `facts` and whatever else they have of their own. */
  readonly own: Readonly<Record<string, unknown>>;
  /** It may have the code that says whose fault it is. */
  readonly cause: PackedError | undefined;
}

function packError(thrown: unknown): PackedError {
  const { name, message, stack, cause, ...others } = asError(thrown);
  const plain = Object.fromEntries(Object.entries(others).filter(([, value]) => isPlain(value)));
  return { own: { ...plain, name, message, stack }, cause: cause === undefined ? undefined : packError(cause) };
}

function isPlain(value: unknown) {
  try {
    structuredClone(value);
    return true;
  } catch {
    return false;
  }
}

/** One of another class than rollcall's is an Error with its name. */
function unpackError({ own, cause }: PackedError): Error {
  const error = new Error('', cause && { cause: unpackError(cause) });
  if (own['name'] === RollcallError.name) Object.setPrototypeOf(error, RollcallError.prototype);
  return Object.assign(error, own);
}
