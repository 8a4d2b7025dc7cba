/** Uploads under way, and those that ended while nobody watched them. They go on whatever page is shown. */

import { signal } from '@preact/signals';
import type { ByLookup } from '../options/lookups.ts';
import { keep } from './kept-entries.ts';
import { ApiError, away, connection, refusal } from './requests.ts';
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
  noun: 'import' | 'sync';
}

export class Upload {
  task: Task;
  /** Bytes. */
  sent = signal(0);
  state = signal<'sending' | 'broken' | 'made' | 'failed' | 'stopped'>('sending');
  /** Whether its form, which starts it, shows how far it is. */
  isWatched = signal(false);
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
    this.sent.value = 0;
    const onProgress = (bytes: number) => {
      this.sent.value = bytes;
      this.state.value = 'sending';
    };
    const { id } = await upload(this.task, onProgress, stopped);
    this.href = `/${this.task.noun}s/${encodeURIComponent(id)}`;
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

/** Whether the file is a ZIP archive or a workbook, which is one: their directory is at the end. */
export async function isZip(file: Blob): Promise<boolean> {
  return (await file.slice(0, 2).text()) === 'PK';
}

/** A key by which the server knows a repeated upload. `randomUUID` is missing where the page came by plain http. */
export function newKey() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** @returns what was made of the file @throws ApiError */
async function upload(
  { address, file, key, lookups }: Task,
  onProgress: (bytes: number) => void,
  signal: AbortSignal,
): Promise<{ id: string }> {
  const parts = Object.entries(lookups);
  // Asked first, because a request tells a file that cannot be read from a server that does not answer by nothing.
  await file.slice(0, 1).arrayBuffer();
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', address);
    // Not by its name: the server looks at the content, as it did for the preview.
    if (parts.length === 0) request.setRequestHeader('content-type', 'application/octet-stream');
    request.setRequestHeader('idempotency-key', key);
    request.upload.addEventListener('progress', ({ loaded }) => onProgress(loaded));
    request.addEventListener('load', () => {
      if (request.status === 202 || request.status === 200) resolve(JSON.parse(request.responseText));
      else reject(refusal(request.status, request.responseText));
    });
    request.addEventListener('error', () => {
      connection.lost();
      reject(away());
    });
    request.addEventListener('abort', () => reject(signal.reason));
    signal.addEventListener('abort', () => request.abort());
    request.send(parts.length === 0 ? file : formOf([...parts, ['file', file]]));
  });
}

function formOf(parts: readonly (readonly [name: string, file: File])[]) {
  const form = new FormData();
  for (const [name, file] of parts)
    form.append(name, new File([file], file.name, { type: 'application/octet-stream' }));
  return form;
}
