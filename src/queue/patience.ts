import { setTimeout as sleep } from 'node:timers/promises';
import { asError } from '../errors/message-of.ts';
import { isWaitedFor } from './waited-for.ts';

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
