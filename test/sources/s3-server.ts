import { createHash, createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { takeWrite } from './s3-writes.ts';

/**
 * A server of one bucket, for tests: it gets, puts (s3-writes.ts) and lists objects, and checks the signature of each request as S3 does
 * (docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html). No server that tests could start checks it: Debian has none, and s3rver
 * of npm knows version 4 in part only.
 */
export interface S3Server {
  readonly endpoint: string;
  readonly objects: Map<string, { bytes: Buffer; modifiedAt: Date }>;
  /** The requests, one `GET key` or `LIST prefix` after the other. */
  readonly asked: string[];
  /** Answers in place of the server: an error of S3 with its status. */
  refuse: { readonly code: string; readonly status: number; readonly headers?: Record<string, string> } | undefined;
  /** The bucket's region; undefined: any. */
  region: string | undefined;
  /** The operation that the credentials do not allow. */
  forbidden: 'GET' | 'LIST' | undefined;
  /** Gives objects a byte at a time. */
  drips: boolean;
  /** Ends the connection after so many bytes of an object, once; told when that has happened. */
  breakAfter: number | undefined;
  onBreak: () => void;
  /** Ends the connection after more bytes of what is written, each time, until it is undefined again. */
  breakWrites: number | undefined;
  /** Uploads in parts that are not completed: parts by number. */
  readonly uploads: Map<string, Map<number, Buffer>>;
  /** Objects in one answer to a listing. */
  pageSize: number;
  close(): Promise<void>;
}

export const KEYS = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI' };
export const BUCKET = 'hr-exports';

export async function startS3(): Promise<S3Server> {
  const http = createServer((request, response) => answer(server, request, response));
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const server: S3Server = {
    endpoint: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    objects: new Map(),
    asked: [],
    refuse: undefined,
    region: undefined,
    forbidden: undefined,
    drips: false,
    breakAfter: undefined,
    onBreak: () => {},
    breakWrites: undefined,
    uploads: new Map(),
    pageSize: 1000,
    close: async () => {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
  return server;
}

function answer(server: S3Server, request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? '/', server.endpoint);
  const error = (status: number, code: string, headers = {}) => {
    const body = `<?xml version="1.0"?><Error><Code>${code}</Code><Message>the server says ${code}</Message></Error>`;
    response.writeHead(status, { 'content-type': 'application/xml', ...headers }).end(body);
  };
  const wrong = wrongSignature(request, url);
  if (wrong !== undefined) {
    error(403, wrong);
    return;
  }
  const [, asked] = /Credential=[^/]+\/\d+\/([^/]+)/.exec(request.headers.authorization ?? '') ?? [];
  if (server.region !== undefined && asked !== server.region) {
    error(301, 'PermanentRedirect', { 'x-amz-bucket-region': server.region });
    return;
  }
  if (server.refuse !== undefined) {
    error(server.refuse.status, server.refuse.code, server.refuse.headers);
    return;
  }
  const [, bucket, ...names] = url.pathname.split('/').map(decodeURIComponent);
  if (bucket !== BUCKET) {
    error(404, 'NoSuchBucket');
    return;
  }
  const key = names.join('/');
  const isList = url.searchParams.get('list-type') === '2';
  if (server.forbidden === (isList ? 'LIST' : request.method)) {
    error(403, 'AccessDenied');
    return;
  }
  if (isList) {
    server.asked.push(`LIST ${url.searchParams.get('prefix') ?? ''}`);
    response.writeHead(200, { 'content-type': 'application/xml' }).end(listing(server, url.searchParams));
    return;
  }
  if (request.method !== 'GET') {
    takeWrite(server, request, response, { url, key, refuse: error }).catch(() => response.destroy());
    return;
  }
  server.asked.push(`GET ${key}`);
  const object = server.objects.get(key);
  if (object === undefined) {
    error(404, 'NoSuchKey');
    return;
  }
  const { bytes, modifiedAt } = object;
  const etag = etagOf(bytes);
  const { 'if-match': match, 'if-none-match': none, range } = request.headers;
  if (match !== undefined && match !== etag) {
    error(412, 'PreconditionFailed');
    return;
  }
  if (none === etag) {
    response.writeHead(304, { etag }).end();
    return;
  }
  const from = Number(/^bytes=(\d+)-$/.exec(range ?? '')?.[1] ?? 0);
  const part = bytes.subarray(from);
  response.writeHead(from > 0 ? 206 : 200, {
    etag,
    'content-length': part.length,
    'last-modified': modifiedAt.toUTCString(),
    'accept-ranges': 'bytes',
  });
  if (server.drips) {
    const drip = setInterval(() => response.write('x'), 1);
    response.on('close', () => clearInterval(drip));
    return;
  }
  const { breakAfter } = server;
  if (breakAfter === undefined) {
    response.end(part);
    return;
  }
  server.breakAfter = undefined;
  response.write(part.subarray(0, breakAfter), () => {
    server.onBreak();
    response.destroy();
  });
}

function etagOf(bytes: Buffer): string {
  return `"${createHash('md5').update(bytes).digest('hex')}"`;
}

function listing({ objects, pageSize }: S3Server, query: URLSearchParams): string {
  const prefix = query.get('prefix') ?? '';
  const delimiter = query.get('delimiter');
  const after = query.get('continuation-token') ?? '';
  const folders = new Set<string>();
  const keys = [...objects.keys()].sort().filter((key) => {
    if (!key.startsWith(prefix) || key <= after) return false;
    const end = delimiter === null ? -1 : key.indexOf(delimiter, prefix.length);
    if (end !== -1) folders.add(key.slice(0, end + 1));
    return end === -1;
  });
  const page = keys.slice(0, pageSize);
  const contents = page.map((key) => {
    const { bytes, modifiedAt } = objects.get(key) ?? { bytes: Buffer.alloc(0), modifiedAt: new Date(0) };
    return `<Contents><Key>${key}</Key><Size>${bytes.length}</Size><ETag>${etagOf(bytes)}</ETag><LastModified>${modifiedAt.toISOString()}</LastModified></Contents>`;
  });
  const prefixes = [...folders].map((folder) => `<CommonPrefixes><Prefix>${folder}</Prefix></CommonPrefixes>`);
  const isCut = page.length < keys.length;
  const next = isCut ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : '';
  return `<?xml version="1.0"?><ListBucketResult><IsTruncated>${isCut}</IsTruncated>${next}${contents.join('')}${prefixes.join('')}</ListBucketResult>`;
}

/** The code with which S3 refuses a signature. */
function wrongSignature({ method, headers }: IncomingMessage, url: URL): string | undefined {
  const [, id, day = '', region = '', names = '', signature] =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/.exec(
      headers.authorization ?? '',
    ) ?? [];
  if (id === undefined) return 'AccessDenied';
  if (id !== KEYS.accessKeyId) return 'InvalidAccessKeyId';
  const encode = (text: string) =>
    encodeURIComponent(text).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);
  const query = [...url.searchParams].map(([name, value]) => `${encode(name)}=${encode(value)}`).sort();
  const signed = names.split(';').map((name) => `${name}:${String(headers[name] ?? '').trim()}\n`);
  const asked = [method, url.pathname, query.join('&'), signed.join(''), names, headers['x-amz-content-sha256']].join(
    '\n',
  );
  const scope = `${day}/${region}/s3/aws4_request`;
  const text = [
    'AWS4-HMAC-SHA256',
    headers['x-amz-date'],
    scope,
    createHash('sha256').update(asked).digest('hex'),
  ].join('\n');
  const hmac = (key: string | Buffer, data: string) => createHmac('sha256', key).update(data).digest();
  const key = [day, region, 's3', 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${KEYS.secretAccessKey}`);
  return hmac(key, text).toString('hex') === signature ? undefined : 'SignatureDoesNotMatch';
}
