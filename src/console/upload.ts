/** Sending a file to the server, with progress: `fetch` tells none for what it sends. */
import type { ByLookup } from '../options/lookups.ts';
import { away, refusal } from './api.ts';
import { connection } from './connection.ts';

/** Whether the file begins as gzip does. */
async function isGzipped(file: Blob) {
  const [first, second] = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  return first === 0x1f && second === 0x8b;
}

/** Whether the file is a workbook, a ZIP archive or a Parquet file: their directory is at the end. */
export async function isReadAtRandom(file: Blob): Promise<boolean> {
  return /^(?:PK|PAR)/.test(await file.slice(0, 3).text());
}

/**
 * The first bytes of a file, unpacked if it is packed.
 * @param most bytes
 */
export async function beginning(file: File, most: number): Promise<Blob> {
  if (!(await isGzipped(file))) return file.slice(0, most);
  const reader = file.slice(0, most).stream().pipeThrough(new DecompressionStream('gzip')).getReader();
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  try {
    while (size < most) {
      const { value, done } = await reader.read();
      if (done) break;
      parts.push(value);
      size += value.length;
    }
  } catch {
    // The slice ends in the middle of the packed text: what came before is enough.
  }
  void reader.cancel().catch(() => undefined);
  return new Blob(parts).slice(0, most);
}

/** A key by which the server knows a repeated upload. `randomUUID` is missing where the page came by plain http. */
export function newKey() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

interface UploadOptions {
  /** The key of an earlier, broken attempt at the same, or a new one. */
  key: string;
  /** Bytes. */
  onProgress: (sent: number) => void;
  signal: AbortSignal;
  /** Identity and group file that go with it. */
  lookups: ByLookup<File>;
}

/**
 * Uploads a file.
 * @param path with the options as query
 * @returns what was made of it
 * @throws ApiError
 */
export async function upload(
  path: string,
  file: File,
  { key, onProgress, signal, lookups }: UploadOptions,
): Promise<{ id: string }> {
  const parts = Object.entries(lookups);
  // Asked first, because a request tells a file that cannot be read from a server that does not answer by nothing.
  await file.slice(0, 1).arrayBuffer();
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', path);
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
  for (const [name, file] of parts) form.append(name, untyped(file));
  return form;
}

function untyped(file: File) {
  return new File([file], file.name, { type: 'application/octet-stream' });
}
