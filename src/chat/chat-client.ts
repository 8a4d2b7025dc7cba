import { createHash } from 'node:crypto';
import { badSetting, isError, RollcallError } from '../errors/rollcall-error.ts';
import {
  type ActingOptions,
  type AppRequest,
  type Ask,
  actingUid,
  type CallOptions,
  foldMembers,
  isRefusal,
  type RawReply,
  type ReplyMeta,
  readReply,
  segment,
} from './call.ts';
import { invalidCall } from './call-errors.ts';
import { type Connection, type ConnectionOptions, openConnection, type Request } from './connection.ts';
import { type AddMembersRequest, HEADERS, openReply } from './contract.ts';
import { createCreateClient, createDirectoryClient } from './directory-client.ts';
import { createListClient } from './list-client.ts';
import { type BANNED_LISTS, bannedAddress, createMemberClient } from './member-client.ts';
import { type MemberEntries, readMemberEntries } from './member-entries.ts';
import { readRate, requestIdOf } from './rate-headers.ts';
import { createRedact, type Redact } from './redact.ts';
import { type AppFacts, appsPage } from './replies.ts';
import { MAX_UIDS_PER_CALL } from './service/limits.ts';
import { MEMBER_LISTS } from './service/lists.ts';
import { type AppAddress, apiUrl, managementUrl } from './service-address.ts';
import { createUserClient } from './user-client.ts';

/** The app that is called, its key, and how it is reached. */
export interface ChatClientOptions extends AppAddress, ConnectionOptions {
  /** API key with the scope `fullAccess` (docs/chat-service.md, 9). */
  readonly apiKey: string;
  /** The key as the settings have it now, if they do: asked when the one in use is refused. Default: none. */
  readonly currentKey?: (() => string | undefined) | undefined;
  /** `User-Agent` header of every call, such as `rollcall/1.2.3`. Default: `rollcall`. */
  readonly userAgent?: string | undefined;
  /** Address of the banned users of a group. Default: the one that answers. */
  readonly bannedList?: (typeof BANNED_LISTS)[number] | undefined;
}

interface ManagementClientOptions extends Omit<ConnectionOptions, 'connections'> {
  readonly host: string;
  /** Values of the headers `key` and `secret` (docs/chat-service.md, 10). */
  readonly key: string;
  readonly secret: string;
}

export interface AddMembersResult extends ReplyMeta {
  readonly entries: MemberEntries;
}

/**
 * Calls to one app. Every method throws what call-errors.ts lists: REFUSED, a TransportCode, MALFORMED_REPLY,
 * INVALID_CALL or ABORTED. Nothing is repeated here; what to do about an error is `judge` of error-policy.ts.
 */
export type ChatClient = ReturnType<typeof createChatClient>;
export type ManagementClient = ReturnType<typeof createManagementClient>;

/** Without `Accept` some servers answer errors as web pages, and firewalls challenge calls without `User-Agent`. */
const COMMON_HEADERS = { Accept: 'application/json', 'User-Agent': 'rollcall' } as const;

/** @throws BAD_SETTING when address, key, CA or proxy is not usable. */
export function createChatClient(options: ChatClientOptions) {
  const base = new URL(apiUrl(options));
  let key = keyInUse(options, []);
  const connection = openConnection(base.origin, options);
  const redact: Redact = (text) => key.redact(text);

  const renewKey = () => {
    const current = options.currentKey?.();
    if (current === undefined || current === key.value || !isUsable(current)) return false;
    key = keyInUse({ ...options, apiKey: current }, key.secrets);
    return true;
  };

  const send = <Read>(
    method: Request['method'],
    path: string,
    read: (raw: RawReply) => Read,
    { body, onBehalfOf, maxReplyBytes, signal }: AppRequest,
  ) => {
    const acting = onBehalfOf ? { [HEADERS.onBehalfOf]: actingUid(onBehalfOf) } : undefined;
    const text = body === undefined ? null : JSON.stringify(body);
    const sendWith = async ({ headers, fingerprint }: KeyInUse) => {
      const request: Request = {
        method,
        path: base.pathname + path,
        headers: acting ? { ...headers, ...acting } : headers,
        body: text,
        maxReplyBytes,
      };
      try {
        return await call(connection, request, signal, read);
      } catch (error) {
        if (!isKeyRefusal(error)) throw error;
        // For the person who has to change it.
        const serviceMessage = `${error.facts.serviceMessage} (key ${fingerprint})`.trim();
        throw new RollcallError('REFUSED', { ...error.facts, serviceMessage, doubtful: false });
      }
    };
    const used = key;
    return sendWith(used).catch((error: unknown) => {
      // Another call may have met the same refusal and read the new key already. Nothing was carried out.
      if (!isKeyRefusal(error) || (key === used && !renewKey())) throw error;
      return sendWith(key);
    });
  };

  const ask: Ask = async (method, path, schema, request = {}) => {
    const { reply, ...meta } = await send(method, path, (raw) => readReply(raw, schema, redact), request);
    return { ...(reply as object), ...meta } as typeof reply & ReplyMeta;
  };

  const banned = bannedAddress(options.bannedList);
  return {
    ...createMemberClient(ask, redact, banned),
    ...createListClient(ask, banned),
    ...createDirectoryClient(ask),
    ...createCreateClient(ask, redact),
    ...createUserClient(ask),
    /** Adds up to 25 UIDs to a group, in lists of at least one (docs/chat-service.md, 15). */
    async addMembers(guid: string, members: AddMembersRequest, options: ActingOptions = {}): Promise<AddMembersResult> {
      checkMembers(members);
      const read = (raw: RawReply) => readMemberEntries(raw, redact);
      const request = { ...options, body: foldMembers(members) };
      const { reply: entries, ...meta } = await send('POST', `/groups/${segment('guid', guid)}/members`, read, request);
      return { entries, ...meta };
    },
    /** `GET /users` (docs/chat-service.md, 52). */
    listUsers: (options?: CallOptions) => ask('GET', '/users', openReply, options),
    /** A fingerprint of the key that it uses: 8 hexadecimal digits. */
    keyFingerprint: () => key.fingerprint,
    /** Reads the key from the settings again; returns whether it has changed. A value that cannot be a key is ignored. */
    renewKey,
    /** Lets the calls in flight finish; later ones end in ABORTED. */
    close: () => connection.close(),
  };
}

type KeyInUse = ReturnType<typeof keyInUse>;

/** A key, and what every call derives from it. @throws BAD_SETTING */
function keyInUse({ apiKey, appId, url, userAgent }: ChatClientOptions, earlier: readonly string[]) {
  // The service may echo the key of a call in flight.
  const secrets = [...earlier, usableSecret('API key', apiKey)];
  return {
    value: apiKey,
    fingerprint: fingerprintOf(apiKey),
    headers: {
      [HEADERS.apiKey]: apiKey,
      // An address of its own does not name the app (docs/chat-service.md, 8).
      ...(url !== undefined && { [HEADERS.appId]: appId }),
      'Content-Type': 'application/json',
      ...COMMON_HEADERS,
      ...(userAgent !== undefined && { 'User-Agent': userAgent }),
    },
    secrets,
    redact: createRedact(secrets),
  };
}

/** @throws BAD_SETTING when host, key, secret or CA is not usable. */
export function createManagementClient(options: ManagementClientOptions) {
  const { host, key, secret } = options;
  const redact = createRedact([usableSecret('management key', key), usableSecret('management secret', secret)]);
  const connection = openConnection(managementUrl(host), { ...options, connections: 1 });
  const headers = { [HEADERS.managementKey]: key, [HEADERS.managementSecret]: secret, ...COMMON_HEADERS };
  return {
    /** `GET {management_url}/apps`, every page of it (docs/chat-service.md, 53). */
    async listApps({ signal }: CallOptions = {}) {
      const apps: AppFacts[] = [];
      for (let page = 1, pages = 1; page <= pages; page += 1) {
        const request: Request = { method: 'GET', path: page === 1 ? '/apps' : `/apps?page=${page}`, headers };
        const { reply } = await call(connection, request, signal, (raw) => readReply(raw, appsPage, redact));
        apps.push(...reply.data);
        pages = reply.meta?.pagination?.totalPages ?? 1;
      }
      return apps;
    },
    close: () => connection.close(),
  };
}

function call<Read>(
  connection: Connection,
  request: Request,
  signal: AbortSignal | undefined,
  read: (raw: RawReply) => Read,
): Promise<{ reply: Read } & ReplyMeta> {
  return connection.exchange(request, signal, ({ httpStatus, headers, body, ms }) => {
    const rate = readRate(headers, Date.now(), httpStatus === 429);
    const requestId = isRefusal(httpStatus) ? requestIdOf(headers) : undefined;
    return { reply: read({ httpStatus, body, rate, requestId }), rate, httpStatus, ms };
  });
}

function checkMembers(members: AddMembersRequest) {
  let uids = 0;
  for (const list of MEMBER_LISTS) {
    const count = members[list]?.length;
    if (count === 0) throw invalidCall(`the list ${list} is empty; leave it out, or put at least one UID into it`);
    uids += count ?? 0;
  }
  if (uids < 1 || uids > MAX_UIDS_PER_CALL) {
    throw invalidCall(`a call with ${uids} UIDs is not possible: 1 to ${MAX_UIDS_PER_CALL} over all lists are allowed`);
  }
}

/** Never shows the value. */
function usableSecret(name: string, value: string) {
  if (isUsable(value)) return value;
  const problem = value === '' ? 'is empty' : 'has characters other than visible ASCII (a line break, perhaps)';
  throw badSetting(`the ${name} ${problem}; copy it again from the service's dashboard`);
}

function isUsable(secret: string) {
  return /^[\x21-\x7e]+$/.test(secret);
}

/** First 8 hexadecimal digits of a hash: they distinguish keys, and do not reveal them. */
export function fingerprintOf(apiKey: string) {
  return createHash('sha256').update(`rollcall API key\n${apiKey}`).digest('hex').slice(0, 8);
}

/**
 * Whether the service itself refuses a call for its key: one that is missing, unknown, or may not do this. The codes
 * are publicly documented, the status where there is none is assumed (docs/chat-service.md, 33).
 */
function isKeyRefusal(error: unknown): error is RollcallError<'REFUSED'> {
  if (!isError(error, 'REFUSED')) return false;
  const { serviceCode, httpStatus, foreign = null } = error.facts;
  if (foreign !== null) return false;
  if (serviceCode !== null) return /^AUTH_ERR_(?!.*APPID)/.test(serviceCode);
  return httpStatus === 401 || httpStatus === 403;
}
