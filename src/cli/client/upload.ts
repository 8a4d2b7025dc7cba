import { randomUUID } from 'node:crypto';
import { createReadStream, statSync } from 'node:fs';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileStateOf } from '../../imports/read/byte-source.ts';
import { emptyFile } from '../../imports/read/intake-error.ts';
import type { LookupSource } from '../../imports/stage/lookup-file.ts';
import { type ByLookup, LOOKUP_NAMES } from '../../options/lookups.ts';
import { keptOf } from '../../options/option.ts';
import { type ReadingChoices, WAITING } from '../../options/reading-options.ts';
import { sayHowToEnd, TOGETHER_MS } from '../input-files.ts';
import type { Io } from '../screen/io.ts';
import type { Upload } from './server-client.ts';

/** The bytes of an upload, as they are read. */

/** An upload of a file of this machine, which must not change meanwhile. @throws IntakeError */
export async function fileUpload(path: string, flags: ReadingChoices, signal: AbortSignal) {
  const before = await fileStateOf(path, path, { ...keptOf(WAITING, flags), signal });
  const stat = statSync(path);
  // A named pipe can be read once, and its size is not known.
  const repeatable = stat.isFile();
  if (repeatable && stat.size === 0) throw emptyFile(path);
  // The upload ends when this does: what is thrown here leaves the server without an import.
  const open = async function* () {
    let lastByte = 0;
    for await (const piece of createReadStream(path) as AsyncIterable<Buffer>) {
      lastByte = piece.at(-1) ?? lastByte;
      yield piece;
    }
    await before.checkUnchanged(lastByte);
  };
  return { size: repeatable ? stat.size : undefined, open, repeatable, signal };
}

/** An upload of standard input, while it comes. */
export function asItComes(io: Io, signal: AbortSignal) {
  sayHowToEnd(io);
  const open = async function* () {
    yield* process.stdin as AsyncIterable<Uint8Array>;
    await sleep(TOGETHER_MS, undefined, { signal });
  };
  return { size: undefined, open, repeatable: false, signal };
}

/** An upload as a form that also has an identity or group file; without either it is the file itself. Each is streamed. */
export async function withLookups(upload: Upload, lookups: ByLookup<LookupSource>) {
  const boundary = `rollcall-${randomUUID()}`;
  const head = (part: string, file: string) =>
    Buffer.from(
      `\r\n--${boundary}\r\nContent-Disposition: form-data; name="${part}"; filename="${encodeURIComponent(file)}"\r\nContent-Type: application/octet-stream\r\n\r\n`,
    );
  const parts = LOOKUP_NAMES.flatMap((part) => {
    const file = lookups[part];
    return file === undefined ? [] : [{ ...file, head: head(part, basename(file.name)) }];
  });
  if (parts.length === 0) return upload;
  for (const { path, name } of parts) await fileStateOf(path, name);
  const last = head('file', 'input');
  const end = Buffer.from(`\r\n--${boundary}--\r\n`);
  const around = parts.reduce(
    (sum, part) => sum + part.head.length + statSync(part.path).size,
    last.length + end.length,
  );
  return {
    ...upload,
    type: `multipart/form-data; boundary=${boundary}`,
    size: upload.size === undefined ? undefined : upload.size + around,
    open: async function* () {
      for (const part of parts) {
        yield part.head;
        yield* createReadStream(part.path) as AsyncIterable<Buffer>;
      }
      yield last;
      yield* upload.open();
      yield end;
    },
  };
}
