import { randomUUID } from 'node:crypto';
import { createReadStream, statSync } from 'node:fs';
import { basename } from 'node:path';
import { fileOf } from '../../imports/read/file-state.ts';
import type { IdentitySource } from '../../imports/stage/identity-file.ts';
import type { Upload } from './server-client.ts';

/** An upload as a form that also has an identity file. Each file is streamed. */
export async function withIdentityFile(upload: Upload, { path, name }: IdentitySource): Promise<Upload> {
  await fileOf(path, name);
  const boundary = `rollcall-${randomUUID()}`;
  const head = (part: string, file: string) =>
    Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; name="${part}"; filename="${encodeURIComponent(file)}"\r\nContent-Type: application/octet-stream\r\n\r\n`,
    );
  const first = head('identities', basename(name));
  const second = Buffer.concat([Buffer.from('\r\n'), head('file', 'input')]);
  const end = Buffer.from(`\r\n--${boundary}--\r\n`);
  const around = first.length + second.length + end.length;
  return {
    ...upload,
    type: `multipart/form-data; boundary=${boundary}`,
    size: upload.size === undefined ? undefined : upload.size + statSync(path).size + around,
    open: async function* () {
      yield first;
      yield* createReadStream(path) as AsyncIterable<Buffer>;
      yield second;
      yield* upload.open();
      yield end;
    },
  };
}
