/** Uploads under way, and those that ended while nobody watched them. They go on whatever page is shown. */

import { signal } from '@preact/signals';
import type { ByLookup } from '../options/lookups.ts';
import { ApiError } from './api.ts';
import { connection } from './connection.ts';
import { keep } from './kept-entries.ts';
import { upload } from './upload.ts';

/** Those that the frame knows. */
export const uploads = signal<readonly Upload[]>([]);

/** All of them, as something that a reload would lose. */
const ALL = {
  isUnsaved: () => uploads.peek().some(({ state }) => state.peek() === 'sending' || state.peek() === 'broken'),
  end: () => {
    for (const upload of uploads.peek()) upload.stop();
    uploads.value = [];
  },
};

/** After so many breaks it is left to the person to try again. */
const MAX_ATTEMPTS = 5;
/** Between two attempts, times the number of attempts, in ms. */
const PAUSE_MS = 1000;
/** A server that goes away or comes back, and one that has not noticed yet that the attempt before has ended. */
const PASSING = ['AWAY', 'STOPPING', 'KEY_IN_USE', 'HTTP_502', 'HTTP_503', 'HTTP_504'];

export interface Task {
  /** With the options as query. */
  address: string;
  file: File;
  lookups: ByLookup<File>;
  /** The key of the same upload, tried before or not. */
  key: string;
  /** The page that it was started from. */
  formHref: string;
  /** The page of what is made. */
  hrefOf: (id: string) => string;
  noun: 'import' | 'sync';
}

export class Upload {
  task: Task;
  /** Bytes. */
  sent = signal(0);
  state = signal<'sending' | 'broken' | 'made' | 'failed' | 'stopped'>('sending');
  /** Whether its form, which starts it, shows how far it is. */
  isWatched = signal(true);
  /** The error of a failed upload. */
  error: unknown;
  /** The page of what was made of it. */
  href = '';
  #stopping = new AbortController();

  constructor(task: Task) {
    this.task = task;
    uploads.value = [...uploads.peek(), this];
    keep('uploads', ALL);
  }

  get isUnderWay() {
    return this.state.value === 'sending' || this.state.value === 'broken';
  }

  /** The form of the upload is shown, until what this gives is called. */
  watch() {
    this.isWatched.value = true;
    return () => {
      this.isWatched.value = false;
    };
  }

  stop() {
    this.#stopping.abort();
  }

  /** The frame has shown enough of it. */
  dismiss() {
    uploads.value = uploads.peek().filter((one) => one !== this);
  }

  /** Sends the file, from its beginning after each break. The server makes one thing of all attempts with the same key. */
  async run() {
    const { signal: stopped } = this.#stopping;
    for (let attempt = 1; this.isUnderWay; attempt += 1) {
      try {
        await this.#send(stopped);
      } catch (error) {
        if (stopped.aborted) break;
        if (attempt === MAX_ATTEMPTS || !isPassing(error)) {
          this.error = error;
          this.state.value = 'failed';
          return;
        }
        this.state.value = 'broken';
        await answering(attempt * PAUSE_MS, stopped);
      }
      if (stopped.aborted) break;
    }
    if (this.state.peek() === 'made') return;
    this.state.value = 'stopped';
    this.dismiss();
  }

  async #send(stopped: AbortSignal) {
    const { address, file, key, lookups, hrefOf } = this.task;
    this.sent.value = 0;
    const onProgress = (bytes: number) => {
      this.sent.value = bytes;
      this.state.value = 'sending';
    };
    const { id } = await upload(address, file, { key, onProgress, signal: stopped, lookups });
    this.href = hrefOf(id);
    this.state.value = 'made';
  }
}

function isPassing(error: unknown) {
  return error instanceof ApiError && PASSING.includes(error.code);
}

/** Resolves after a pause, once the server answers. */
async function answering(ms: number, stopped: AbortSignal) {
  await connection.ask();
  const wait = (resolve: (value: unknown) => void) => {
    stopped.addEventListener('abort', resolve, { once: true });
    if (connection.away) connection.addEventListener('back', resolve, { once: true });
    else setTimeout(resolve, ms);
  };
  await new Promise(wait);
}
