import { extname } from 'node:path';
import { Worker, type WorkerOptions } from 'node:worker_threads';

/**
 * For threads that stream rows and keep none. Without it, V8 lets each of them collect three times 16 MB of garbage
 * before it cleans up.
 */
export const PASSING_ROWS = { maxYoungGenerationSizeMb: 6 } as const;

/** Starts a file beside the caller's as a thread. @param name such as `./stage-file`; the ending is the caller's */
export function startThread(caller: string, name: string, options: WorkerOptions): Worker {
  return new Worker(new URL(`${name}${extname(caller)}`, caller), options);
}

/** Runs a file as a thread for one task; resolves when it has ended. Rejects with what it throws. */
export function runThread(caller: string, name: string, workerData: unknown): Promise<void> {
  const thread = startThread(caller, name, { workerData });
  return new Promise((resolve, reject) => {
    thread.on('error', reject);
    thread.on('exit', (code) =>
      code === 0 ? resolve() : reject(new Error(`the thread ${name.slice(2)} has ended with code ${code}`)),
    );
  });
}
