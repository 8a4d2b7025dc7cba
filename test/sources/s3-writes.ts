import { createHash, randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { S3Server } from './s3-server.ts';

/** The part of the server of buckets that takes objects: whole, or in parts that become one when they are completed. */

type Refuse = (status: number, code: string) => void;

export async function takeWrite(
  server: S3Server,
  request: IncomingMessage,
  response: ServerResponse,
  { url, key, refuse }: { readonly url: URL; readonly key: string; readonly refuse: Refuse },
): Promise<void> {
  const { method } = request;
  const upload = url.searchParams.get('uploadId');
  const part = url.searchParams.get('partNumber');
  server.asked.push(`${method} ${key}${part === null ? '' : ` part ${part}`}`);
  const body = await bodyOf(server, request);
  if (body === undefined) return;
  if (createHash('sha256').update(body).digest('hex') !== request.headers['x-amz-content-sha256']) {
    refuse(400, 'XAmzContentSHA256Mismatch');
    return;
  }
  const parts = upload === null ? undefined : server.uploads.get(upload);
  if (upload !== null && parts === undefined) {
    refuse(404, 'NoSuchUpload');
    return;
  }
  const etag = `"${createHash('md5').update(body).digest('hex')}"`;
  const put = (bytes: Buffer) => {
    server.objects.set(key, { bytes, modifiedAt: new Date() });
  };
  if (method === 'POST' && upload === null) {
    const id = randomUUID();
    server.uploads.set(id, new Map());
    const answer = `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`;
    response.writeHead(200, { 'content-type': 'application/xml' }).end(answer);
  } else if (method === 'POST' && upload !== null && parts !== undefined) {
    const named = [...body.toString().matchAll(/<PartNumber>(\d+)<\/PartNumber>/g)].map(([, number]) => Number(number));
    put(Buffer.concat(named.map((number) => parts.get(number) ?? Buffer.alloc(0))));
    server.uploads.delete(upload);
    const answer = '<CompleteMultipartUploadResult><ETag>"whole"</ETag></CompleteMultipartUploadResult>';
    response.writeHead(200, { 'content-type': 'application/xml' }).end(answer);
  } else if (method === 'DELETE') {
    if (upload !== null) server.uploads.delete(upload);
    response.writeHead(204).end();
  } else {
    if (parts !== undefined) parts.set(Number(part), body);
    else put(body);
    response.writeHead(200, { etag }).end();
  }
}

/** Undefined where the connection was ended in the middle of it. */
async function bodyOf(server: S3Server, request: IncomingMessage): Promise<Buffer | undefined> {
  const pieces: Buffer[] = [];
  let come = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    pieces.push(piece);
    come += piece.length;
    if (server.breakWrites === undefined || come <= server.breakWrites) continue;
    server.onBreak();
    request.socket.destroy();
    return undefined;
  }
  return Buffer.concat(pieces);
}
