import { randomUUID } from 'node:crypto';
import { createReadStream, statSync } from 'node:fs';
import { basename } from 'node:path';
import { fileOf } from '../../imports/read/file-state.ts';
import type { LookupSource } from '../../imports/stage/lookup-file.ts';
import { type ByLookup, LOOKUP_NAMES } from '../../options/lookups.ts';
import type { Upload } from './server-client.ts';

/** An upload as a form that also has an identity or group file; without either it is the file itself. Each is streamed. */
export async function withLookups(upload: Upload, lookups: ByLookup<LookupSource>): Promise<Upload> {
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
  for (const { path, name } of parts) await fileOf(path, name);
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
