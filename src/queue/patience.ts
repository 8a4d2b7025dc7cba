import { setTimeout as sleep } from 'node:timers/promises';
import { asError } from '../errors/rollcall-error.ts';

/** Wait before another try, in ms. */
export const AGAIN_MS = 500;

/** Work on the queue's server, which is done again while the server is away or refuses it. */
export interface Patience {
  /** @param work gets whether it was tried before, so that a part of it may be done */
  <Result>(work: (isAgain: boolean) => Promise<Result>): Promise<Result>;
  /** From now on, the error of a try is thrown. */
  end(): void;
}

/** @param onError gets the error of each try */
export function createPatience(onError: (error: Error) => void): Patience {
  const ended = new AbortController();
  const patiently = async <Result>(work: (isAgain: boolean) => Promise<Result>): Promise<Result> => {
    for (let isAgain = false; ; isAgain = true) {
      try {
        return await work(isAgain);
      } catch (error) {
        if (ended.signal.aborted || !isWaitedFor(error)) throw error;
        onError(asError(error));
        await sleep(AGAIN_MS, undefined, { signal: ended.signal });
      }
    }
  };
  return Object.assign(patiently, { end: () => ended.abort() });
}

/** The same object, with methods that are patient. */
export function patient<Methods extends object>(methods: Methods, patiently: Patience): Methods {
  const wrapped = Object.entries(methods).map(([name, method]) => [
    name,
    (...given: unknown[]) => patiently(async () => Reflect.apply(method, methods, given)),
  ]);
  return Object.fromEntries(wrapped);
}

/**
 * Errors of the queue's server, and of the connection to it, that pass: the server is away, changes its role, or refuses
 * writes for now. Everything that meets one is tried again, however long it takes: the ledger knows what is left to do.
 */

/** Beginnings of refusals, as Redis gives them; a script that meets one names it later in its own error. */
const REFUSALS = [
  ...['READONLY', 'NOREPLICAS', 'MISCONF', 'OOM', 'LOADING', 'MASTERDOWN', 'BUSY', 'UNKILLABLE', 'UNBLOCKED'],
  ...['CLUSTERDOWN', 'TRYAGAIN', 'MOVED', 'ASK', 'NOAUTH', 'WRONGPASS', 'NOPERM'],
  'ERR max number of clients reached',
];
const REFUSAL = new RegExp(`^(?:${REFUSALS.join('|')})\\b|[\\s-](?:READONLY|NOREPLICAS|MISCONF|OOM|MASTERDOWN) `);

/** Errors of ioredis by name: a connection that ended before its answer was there. */
const CONNECTION: ReadonlySet<string> = new Set([
  ...[
    'AbortError',
    'InterruptError',
    'MaxRetriesPerRequestError',
    'ClusterAllFailedError',
    'ParserError',
    'RedisError',
  ],
  'ConnectionClosedError',
]);

/** The same without a name of their own. */
const MESSAGE = new RegExp(
  `^(?:${[
    'Connection is closed',
    "Stream isn't writeable",
    'connect ETIMEDOUT',
    'Command timed out',
    'timeout$',
    'Socket timeout',
    'Command queue state error',
    'All sentinels are unreachable',
    'None of startup nodes is available',
    'Cluster is disconnect',
    "Cluster isn't ready",
    'Too many Cluster redirections',
    'Node is disconnected',
    'No master node is available',
    'BullMQ: cluster reconnect timed out',
  ].join('|')})`,
);

/** Codes of the system and of TLS. */
const CODE = /^(?:E[A-Z]{3,}|EAI_[A-Z]+|[A-Z]{3}_(?:SOCKET|STREAM|SSL|TLS)_\w+|CERT_\w+|\w+_(?:CERT|SIGNATURE)\w*)$/;

/** Whether the server answers, and refuses what it is asked for now. */
export function isRefused(error: Error): boolean {
  return error.name === 'ReplyError' && REFUSAL.test(error.message);
}

/** Whether a part of the queue that meets this error tries again, for as long as it comes. */
export function isWaitedFor(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause.name === 'ReplyError') return isRefused(cause);
    if (CONNECTION.has(cause.name) || MESSAGE.test(cause.message)) return true;
    if ('code' in cause && typeof cause.code === 'string' && CODE.test(cause.code)) return true;
  }
  return false;
}
