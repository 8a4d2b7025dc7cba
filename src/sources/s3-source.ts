import { type FileHandle, open as openFile } from 'node:fs/promises';
import { Agent } from 'node:https';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  paginateListObjectsV2,
  S3Client,
  type S3ClientConfig,
  type S3ServiceException,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { option, words } from '../errors/named-options.ts';
import { shown } from '../imports/read/intake-error.ts';
import { defined } from '../platform/defined.ts';
import { isLoopback } from '../platform/hosts.ts';
import { schemeOf } from '../text/address-text.ts';
import { pathPattern } from '../text/wildcard.ts';
import { grouped } from '../text/wording.ts';
import {
  type Adapter,
  badSource,
  newestOf,
  type Opened,
  type Remedies,
  resumed,
  type SourceEntry,
  type SourceRequest,
  sourceRefusal,
  trusted,
  UNKNOWN_AUTHORITY,
} from './source.ts';

/** Objects in buckets: of S3, of everything that speaks its protocol, and of Google Cloud Storage, which speaks it as well. */

const CONNECT_MS = 10_000;
/** Until the answer begins, and between two pieces of it. */
const QUIET_MS = 60_000;
const PATTERN = /[*?[{]/;
/** Objects below a prefix that a pattern is compared with. */
const MAX_LISTED = 200_000;

const GOOGLE = 'https://storage.googleapis.com';

const IS_REFUSED = 'check its name, and that the credentials allow s3:GetObject and, for a pattern, s3:ListBucket';
const IS_CLOSED = 'check that the credentials allow s3:PutObject there';
const IS_EXPIRED = 'log in again, such as with "aws sso login", or give new credentials';
const IS_WRONG = 'check the access key and its secret';

/** Advice by the service's error code. */
const REMEDIES: Remedies = {
  NoSuchBucket: 'check the name of the bucket',
  NoSuchKey: 'check the key, and whether the export has run',
  NotFound: 'check bucket and key, and whether the export has run',
  AccessDenied: IS_REFUSED,
  Forbidden: IS_REFUSED,
  InvalidObjectState: 'restore the object from the archive first',
  ExpiredToken: IS_EXPIRED,
  TokenRefreshRequired: IS_EXPIRED,
  InvalidToken: IS_EXPIRED,
  InvalidAccessKeyId: IS_WRONG,
  SignatureDoesNotMatch: IS_WRONG,
  CredentialsProviderError:
    'give credentials as for the AWS command line: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a profile in AWS_PROFILE, or a role of the machine',
  RequestTimeTooSkewed: 'set the clock of this machine',
  'Region is missing': 'name the region of the bucket in AWS_REGION',
  PermanentRedirect: 'name the region of the bucket in AWS_REGION',
  AuthorizationHeaderMalformed: 'name the region of the bucket in AWS_REGION',
  IllegalLocationConstraintException: 'name the region of the bucket in AWS_REGION',
  PreconditionFailed: 'it was replaced while it was read: try again',
  SlowDown: 'try again later',
  ECONNREFUSED: words`check the address that ${option('endpoint')} gives, and whether its server runs`,
  ...UNKNOWN_AUTHORITY,
  ENOTFOUND: words`check the region, and the address that ${option('endpoint')} gives`,
};

interface Place {
  readonly bucket: string;
  readonly key: string;
  readonly name: string;
}

export const adapter: Adapter = (request) => {
  const place = bucketPlace(request.address);
  const config = configOf(request, place);
  return {
    name: place.name,
    open: async (signal, known) => {
      if (place.key === '') throw namesNoObject(place);
      return asked(place, config, signal, (client) => open(client, place, signal, known));
    },
    list: (signal) =>
      asked(place, config, signal, async (client) => {
        const entries = await listed(client, place, signal);
        client.destroy();
        return entries;
      }),
    write: (path, signal) => put(place, config, path, signal),
  };
};

function bucketPlace(address: string) {
  const name = address.trim();
  const [, bucket = '', key = ''] = /^[a-z0-9]+:\/\/([^/?#]+)(?:\/(.*))?$/is.exec(name) ?? [];
  const place = { bucket, key, name };
  if (bucket === '') throw namesNoObject(place);
  return place;
}

function namesNoObject({ name }: Place) {
  return badSource(
    `${shown(name)} names no object`,
    `write it as ${schemeOf(name)}://bucket/folder/members.csv; * stands for any text, and the newest that fits is read`,
  );
}

function configOf({ address, settings, environment, secret, ca }: SourceRequest, { name }: Place) {
  const isGoogle = schemeOf(address) === 'gs';
  const endpoint = settings.endpoint ?? (isGoogle ? GOOGLE : undefined);
  const url = endpoint === undefined || !URL.canParse(endpoint) ? undefined : new URL(endpoint);
  const isPlain = url?.protocol === 'http:' && isLoopback(url.hostname);
  if (endpoint !== undefined && url?.protocol !== 'https:' && !isPlain) {
    throw badSource(
      'the address of the server of buckets is refused; allowed are https, and plain http on this machine',
      words`correct ${option('endpoint')}`,
    );
  }
  const [accessKeyId, secretAccessKey, sessionToken] = ['accessKeyId', 'secretAccessKey', 'sessionToken'].map(secret);
  const isGiven = accessKeyId !== undefined && secretAccessKey !== undefined;
  if (isGoogle && !isGiven) {
    throw badSource(
      `${shown(name)} is read with an HMAC key of a service account`,
      words`make one in the settings of Cloud Storage under Interoperability, and give it with ${option('secret', 'accessKeyId=env:NAME')} and ${option('secret', 'secretAccessKey=env:NAME')}`,
    );
  }
  const region = settings.region ?? environment('AWS_REGION') ?? environment('AWS_DEFAULT_REGION');
  // Servers of one's own have no regions, and the names of their buckets are no names of hosts.
  const fallback = isGoogle ? 'auto' : 'us-east-1';
  return defined({
    region: region ?? (endpoint && fallback),
    endpoint,
    forcePathStyle: endpoint !== undefined,
    credentials: isGiven ? { accessKeyId, secretAccessKey, ...defined({ sessionToken }) } : undefined,
    followRegionRedirects: true,
    requestHandler: defined({
      connectionTimeout: CONNECT_MS,
      requestTimeout: QUIET_MS,
      socketTimeout: QUIET_MS,
      httpsAgent: ca && new Agent({ ca: trusted(ca) }),
    }),
  });
}

/** Asks the service, and says in our words what it refuses. */
async function asked<Answer>(
  { name }: Place,
  config: S3ClientConfig,
  signal: AbortSignal,
  ask: (client: S3Client) => Promise<Answer>,
  isWriting = false,
) {
  const client = new S3Client(config);
  try {
    return await ask(client);
  } catch (error) {
    client.destroy();
    const remedies = isWriting ? { ...REMEDIES, AccessDenied: IS_CLOSED, Forbidden: IS_CLOSED } : REMEDIES;
    throw sourceRefusal(error, { name, signal, remedies, isWriting });
  }
}

async function open(client: S3Client, place: Place, signal: AbortSignal, known: string | undefined): Promise<Opened> {
  const found = PATTERN.test(place.key) ? await newest(client, place, signal) : { path: place.key, etag: undefined };
  const name = place.name.slice(0, place.name.length - place.key.length) + found.path;
  const at = { Bucket: place.bucket, Key: found.path };
  const close = async () => client.destroy();
  const first = await client
    .send(
      new GetObjectCommand({ ...at, IfMatch: found.etag, IfNoneMatch: found.etag === undefined ? known : undefined }),
      { abortSignal: signal },
    )
    .catch((error: S3ServiceException) => {
      if (error.$metadata?.httpStatusCode === 304) return undefined;
      throw error;
    });
  if (first === undefined) return { name, version: known, content: undefined, close };
  const { ETag: version, ContentLength: size } = first;
  if (version !== undefined && version === known) return { name, version, content: undefined, close };

  const failed = (error: unknown) => sourceRefusal(error, { name, signal, remedies: REMEDIES });
  // Continues with the same object, or not at all. The client has made its own attempts when it fails.
  const rest = async (from: number) => {
    const command = new GetObjectCommand({ ...at, IfMatch: version, Range: `bytes=${from}-` });
    const { Body } = await client.send(command, { abortSignal: signal }).catch((error) => {
      throw failed(error);
    });
    return Body as AsyncIterable<Uint8Array>;
  };
  const pieces = resumed(first.Body as AsyncIterable<Uint8Array>, version === undefined ? undefined : rest, {
    failed,
    signal,
  });
  return { name, version, content: { kind: 'bytes', size, pieces }, close };
}

async function newest(client: S3Client, { bucket, key, name }: Place, signal: AbortSignal) {
  const fits = pathPattern(key);
  const prefix = key.slice(0, key.search(PATTERN));
  async function* found() {
    for await (const { Key: path = '', ETag: etag, LastModified } of objects(client, bucket, prefix, signal)) {
      if (fits(path)) yield { path, etag, at: LastModified?.getTime() ?? 0 };
    }
  }
  return newestOf(found(), name);
}

async function* objects(client: S3Client, bucket: string, prefix: string, signal: AbortSignal) {
  let seen = 0;
  const pages = paginateListObjectsV2({ client }, { Bucket: bucket, Prefix: prefix }, { abortSignal: signal });
  for await (const { Contents = [], NextContinuationToken } of pages) {
    yield* Contents;
    seen += Contents.length;
    if (seen < MAX_LISTED || NextContinuationToken === undefined) continue;
    throw badSource(
      `there are more than ${grouped(MAX_LISTED)} objects below ${shown(prefix)}`,
      'name more of the beginning in the pattern',
    );
  }
}

/** Lists the folder of the key. There are no empty folders: one with nothing in it is not there. */
async function listed(client: S3Client, { bucket, key, name }: Place, signal: AbortSignal): Promise<SourceEntry[]> {
  const folder = key.slice(0, key.lastIndexOf('/') + 1);
  const command = new ListObjectsV2Command({ Bucket: bucket, Prefix: folder, Delimiter: '/' });
  const { Contents = [], CommonPrefixes = [] } = await client.send(command, { abortSignal: signal });
  if (folder !== '' && Contents.length + CommonPrefixes.length === 0) {
    throw badSource(`there is no folder ${shown(folder)} in ${shown(name)}`, 'check the address');
  }
  const folders = CommonPrefixes.map(({ Prefix = '' }) => Prefix.slice(folder.length, -1));
  return [
    ...folders.map((name) => ({ name, kind: 'folder' as const, modifiedAt: 0 })),
    ...Contents.flatMap(({ Key = '', LastModified }) =>
      Key === folder
        ? []
        : [{ name: Key.slice(folder.length), kind: 'file' as const, modifiedAt: LastModified?.getTime() ?? 0 }],
    ),
  ];
}

/** A larger file is sent in parts of at least this size, of which one at a time is in memory. */
const PART_BYTES = 8 * 1024 ** 2;
const MAX_PARTS = 10_000;

type ObjectPlace = Readonly<Record<'Bucket' | 'Key', string>>;

async function put(place: Place, config: S3ClientConfig, path: string, signal: AbortSignal) {
  if (place.key === '') throw namesNoObject(place);
  // Without the newer checksums of S3, which other servers do not know.
  const plain: S3ClientConfig = { ...config, requestChecksumCalculation: 'WHEN_REQUIRED' };
  const act = async (client: S3Client) => {
    await putFile(client, { Bucket: place.bucket, Key: place.key }, path, signal);
    client.destroy();
  };
  return asked(place, plain, signal, act, true);
}

async function putFile(client: S3Client, at: ObjectPlace, path: string, abortSignal: AbortSignal) {
  await using file = await openFile(path, 'r');
  const { size } = await file.stat();
  if (size > PART_BYTES) return await putParts(client, at, file, size, abortSignal);
  await client.send(new PutObjectCommand({ ...at, Body: await bytesOf(file, 0, size) }), { abortSignal });
}

async function putParts(client: S3Client, at: ObjectPlace, file: FileHandle, size: number, abortSignal: AbortSignal) {
  const { UploadId } = await client.send(new CreateMultipartUploadCommand(at), { abortSignal });
  const length = Math.max(PART_BYTES, Math.ceil(size / MAX_PARTS));
  try {
    const Parts: { readonly PartNumber: number; readonly ETag: string | undefined }[] = [];
    for (let start = 0; start < size; start += length) {
      const PartNumber = Parts.length + 1;
      const Body = await bytesOf(file, start, Math.min(length, size - start));
      const { ETag } = await client.send(new UploadPartCommand({ ...at, UploadId, PartNumber, Body }), { abortSignal });
      Parts.push({ PartNumber, ETag });
    }
    const whole = new CompleteMultipartUploadCommand({ ...at, UploadId, MultipartUpload: { Parts } });
    await client.send(whole, { abortSignal });
  } catch (error) {
    // Else its parts are kept, and paid for. A rule of the bucket removes the parts that a crash leaves.
    await client.send(new AbortMultipartUploadCommand({ ...at, UploadId })).catch(() => {});
    throw error;
  }
}

async function bytesOf(file: FileHandle, start: number, length: number) {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, start);
  if (bytesRead < length) throw new Error('the file has become shorter while it was sent');
  return buffer;
}
