/**
 * A chat service for the campaign, in a process of its own. It shares nothing with rollcall and its sandbox but the
 * certificates, so that a mistake of theirs cannot hide itself. Every call that changes a group is written to a
 * journal before it is answered, and the journal is the truth that the checker compares reports with.
 *
 * Run      `node service.ts <folder> <settings as JSON>`; prints the port, and then one line for each command it has carried out
 * Folder   gets `ca.pem` and `journal.jsonl`
 * Input    one JSON command a line: `{"outage":"refused","ms":20000}`, `{"faults":0.1}`
 */
import { mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import { makeCertificate } from '../../src/sandbox/https.ts';

export const APP = 'campaign';
const REGIONS = ['us', 'eu', 'in'];

export interface ServiceSettings {
  /** 0 for any free one. */
  readonly port: number;
  readonly seed: number;
  /** Share of the calls that go wrong, 0 to 1. */
  readonly faults: number;
  /** Whether adding a member again is refused, or writes a second message as if it were the first. */
  readonly refusesRepeats: boolean;
  /** Duration of a call, in ms. */
  readonly latencyMs: number;
  /** Members from before: `region/guid` to UIDs. */
  readonly before: Readonly<Record<string, readonly string[]>>;
  /** The number of other members of each group, whom no row names. */
  readonly crowd: number;
}

export const OUTAGES = ['refused', 'reset', 'silent', '503', 'html'] as const;
export type Outage = (typeof OUTAGES)[number];
/** `region`: an outage of that one only. Connections are all alike, so that it cannot be `refused`. */
export type Command =
  | { readonly outage: Outage; readonly ms: number }
  | { readonly outage: Exclude<Outage, 'refused'>; readonly ms: number; readonly region: string }
  | { readonly faults: number };

/** One UID of one call, as it was carried out. */
export interface JournalLine {
  readonly call: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** `region/guid`. */
  readonly group: string;
  readonly list: string;
  readonly uid: string;
  /** `again`: it was so already. `repeated`: it was so already, and was done a second time. */
  readonly did: 'added' | 'banned' | 'again' | 'repeated' | 'unknown-user';
}

/** Members from before who act for others; those who are not named are participants. */
const SCOPES: Readonly<Record<string, string>> = { boss: 'admin', mod: 'moderator' };

const FAULTS = ['lost-before', 'lost-after', 'cut', '500', '503', '503-after', 'html-after', '429', 'slow'] as const;
type Fault = (typeof FAULTS)[number];

/** UIDs by the list of a call. */
type Lists = Readonly<Record<string, readonly string[]>>;

interface Member {
  scope: string;
  readonly joinedAt: number;
}

interface Group {
  readonly members: Map<string, Member>;
  readonly banned: Set<string>;
}

async function serve(folder: string, settings: ServiceSettings): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const journal = openSync(join(folder, 'journal.jsonl'), 'a');
  const names = ['localhost', ...REGIONS.map((region) => `${APP}.api-${region}.localhost`)];
  const { cert, key } = await makeCertificate(names);
  writeFileSync(join(folder, 'ca.pem'), cert);

  const groups = new Map<string, Group>();
  const groupOf = (key: string): Group => {
    const found = groups.get(key) ?? { members: new Map(), banned: new Set() };
    groups.set(key, found);
    return found;
  };
  for (const [key, uids] of Object.entries(settings.before)) {
    for (const uid of uids)
      groupOf(key).members.set(uid, { scope: SCOPES[uid] ?? 'participant', joinedAt: 1_700_000_000 });
  }
  const crowd = Array.from({ length: settings.crowd }, (_, n) => listed(`crowd${n}`, 'participant', 1_700_000_000));
  const random = randomFrom(settings.seed);
  let faults = settings.faults;
  let outage: Outage | undefined;
  /** The region that is away; undefined: all. */
  let away: string | undefined;
  let calls = 0;

  const server = createServer({ cert, key, keepAliveTimeout: 120_000 }, (request, response) => {
    const answer = () => void respond(request, response).catch(() => response.destroy());
    if (settings.latencyMs > 0) setTimeout(answer, settings.latencyMs);
    else answer();
  });
  const sockets = new Set<Duplex>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket)).on('error', () => {});
    if (outage === 'reset' && away === undefined) socket.destroy();
  });
  server.listen(settings.port, 'localhost');

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    const { host = '' } = request.headers;
    const region = /api-(\w+)\./.exec(host)?.[1] ?? 'us';
    const kind = away === undefined || away === region ? outage : undefined;
    if (kind === 'reset') return void response.destroy();
    if (kind === 'silent') return;
    if (kind === '503') return refuse(response, 503, 'ERR_UNAVAILABLE');
    if (kind === 'html') return page(response);
    const url = new URL(request.url ?? '/', `https://${host}`);
    const [, , resource = '', id = '', list = ''] = url.pathname.split('/').map(decodeURIComponent);
    const fault = random() < faults ? FAULTS[Math.floor(random() * FAULTS.length)] : undefined;
    if (fault === 'lost-before') return void response.destroy();
    if (fault === '500' || fault === '503') return refuse(response, Number(fault), 'ERR_FAULT');
    if (fault === '429') return refuse(response, 429, 'ERR_TOO_MANY_REQUESTS', { 'retry-after': '1' });
    if (request.method === 'GET') {
      const actor = String(request.headers['onbehalfof'] ?? '');
      return read(response, url.searchParams, region, resource, id, list, actor);
    }
    if (resource !== 'groups' || list !== 'members') return refuse(response, 404, 'ERR_API_NOT_FOUND');
    if (id.startsWith('missing')) return refuse(response, 404, 'ERR_GUID_NOT_FOUND');
    const lists = JSON.parse(body) as Lists;
    const refusal = refusalOf(groupOf(`${region}/${id}`), lists, String(request.headers['onbehalfof'] ?? ''));
    if (refusal !== undefined) return refuse(response, ...refusal);
    send(response, { data: add(`${region}/${id}`, lists) }, fault);
  }

  /**
   * Returns the reason why a call on behalf of a user is refused as a whole. Not as the sandbox does it by itself: moderators
   * add participants, and a user who does not exist is a refusal of the call.
   */
  function refusalOf({ members }: Group, lists: Lists, actor: string): [status: number, code: string] | undefined {
    if (actor === '') return undefined;
    const rows = Object.entries(lists).flatMap(([list, uids]) => uids.map((uid) => ({ list, uid })));
    const joins = (row: (typeof rows)[number]) => row.uid === actor && row.list === 'participants';
    const others = rows.filter((row) => !joins(row));
    if (others.length === 0) return undefined;
    const scope = members.get(actor)?.scope;
    if (scope === undefined) return [401, 'ERR_GROUP_NOT_JOINED'];
    if (scope === 'participant') return [403, 'ERR_GROUP_NO_CLEARANCE'];
    const isTooHigh = others.some(({ list }) => list === 'admins' || list === 'moderators');
    if (scope === 'moderator' && isTooHigh) return [403, 'ERR_GROUP_NO_SCOPE_CLEARANCE'];
    return rows.some(({ uid }) => uid.startsWith('ghost')) ? [404, 'ERR_UID_NOT_FOUND'] : undefined;
  }

  /** Carries a call out and writes it down. The reply gets one entry for each UID. */
  function add(key: string, lists: Lists): Record<string, Record<string, unknown>> {
    calls += 1;
    const group = groupOf(key);
    const lines: JournalLine[] = [];
    const data: Record<string, Record<string, unknown>> = {};
    for (const [list, uids] of Object.entries(lists)) {
      const entries: Record<string, unknown> = {};
      data[list] = entries;
      for (const uid of uids) {
        const did = change(group, list, uid);
        lines.push({ call: calls, at: Date.now(), group: key, list, uid, did });
        entries[uid] = entryOf(did, list, key);
      }
    }
    writeSync(journal, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    return data;
  }

  function change({ members, banned }: Group, list: string, uid: string): JournalLine['did'] {
    if (uid.startsWith('ghost')) return 'unknown-user';
    const isSo = list === 'usersToBan' ? banned.has(uid) : members.has(uid);
    if (isSo && settings.refusesRepeats) return 'again';
    if (list === 'usersToBan') {
      banned.add(uid);
      members.delete(uid);
    } else if (!isSo) members.set(uid, { scope: list.slice(0, -1), joinedAt: Math.floor(Date.now() / 1000) });
    if (isSo) return 'repeated';
    return list === 'usersToBan' ? 'banned' : 'added';
  }

  function read(
    response: ServerResponse,
    query: URLSearchParams,
    region: string,
    kind: string,
    id: string,
    list: string,
    actor: string,
  ) {
    if (kind === 'groups' && id.startsWith('missing')) return refuse(response, 404, 'ERR_GUID_NOT_FOUND');
    if (kind === 'users' && id.startsWith('ghost')) return refuse(response, 404, 'ERR_UID_NOT_FOUND');
    if (kind === 'users' && id !== '') return send(response, { data: { uid: id, name: id } });
    const group = groups.get(`${region}/${id}`);
    if (kind === 'groups' && id !== '' && list === '') {
      if (actor.startsWith('ghost')) return refuse(response, 404, 'ERR_UID_NOT_FOUND');
      const scope = group?.members.get(actor)?.scope;
      const own = actor === '' ? {} : { hasJoined: scope !== undefined, scope };
      return send(response, { data: { guid: id, name: id, type: 'public', ...own } });
    }
    const all =
      list === 'members'
        ? [...crowd, ...[...(group?.members ?? [])].map(([uid, { scope, joinedAt }]) => listed(uid, scope, joinedAt))]
        : [...(group?.banned ?? [])].map((uid) => ({ uid, name: uid }));
    const perPage = Number(query.get('perPage') ?? 100);
    const page = Number(query.get('page') ?? 1);
    const data = kind === 'groups' ? all.slice((page - 1) * perPage, page * perPage) : [];
    const total = kind === 'groups' ? all.length : 0;
    const pages = Math.ceil(total / perPage);
    const pagination = { total, count: data.length, per_page: perPage, current_page: page, total_pages: pages };
    send(response, { data, meta: { pagination } });
  }

  createInterface(process.stdin)
    .on('line', (line) => {
      const command = JSON.parse(line) as Command;
      if ('faults' in command) faults = command.faults;
      else begin(command.outage, command.ms, 'region' in command ? command.region : undefined);
      process.stdout.write(`${line}\n`);
    })
    // Whoever started it is gone.
    .on('close', () => process.exit());

  function begin(kind: Outage, ms: number, region: string | undefined): void {
    outage = kind;
    away = region;
    const { port } = server.address() as AddressInfo;
    if (kind === 'refused') server.close();
    if (kind === 'refused' || (kind === 'reset' && region === undefined))
      for (const socket of sockets) socket.destroy();
    setTimeout(() => {
      outage = undefined;
      if (kind === 'refused') server.listen(port, 'localhost');
      // Swallowed requests are never answered.
      if (kind === 'silent') for (const socket of sockets) socket.destroy();
    }, ms);
  }

  server.once('listening', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));
}

function listed(uid: string, scope: string, joinedAt: number): object {
  return { uid, name: uid, scope, joinedAt };
}

function entryOf(did: JournalLine['did'], list: string, key: string): unknown {
  const refusal = (code: string) => ({ success: false, error: { code, message: `${code} of the campaign` } });
  if (did === 'unknown-user') return refusal('ERR_UID_NOT_FOUND');
  if (did === 'again') return refusal(list === 'usersToBan' ? 'ERR_ALREADY_BANNED' : 'ERR_ALREADY_JOINED');
  const message = { id: '1', category: 'action', type: 'groupMember', receiver: key, data: { action: 'added' } };
  return list === 'usersToBan' ? { success: true } : { success: true, data: message };
}

function send(response: ServerResponse, value: unknown, fault?: Fault): void {
  const body = JSON.stringify(value);
  if (fault === 'lost-after') response.destroy();
  else if (fault === '503-after') refuse(response, 503, 'ERR_FAULT');
  else if (fault === 'html-after') page(response);
  else {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
    if (fault === 'cut') response.write(body.slice(0, body.length / 2), () => response.destroy());
    else setTimeout(() => response.end(body), fault === 'slow' ? 2_000 : 0);
  }
}

function refuse(response: ServerResponse, status: number, code: string, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify({ error: { code, message: `${code} of the campaign` } }));
}

function page(response: ServerResponse): void {
  response.writeHead(502, { 'content-type': 'text/html' }).end('<html><body>Bad gateway</body></html>');
}

/** Numbers from 0 to 1 that are the same for the same seed (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

if (import.meta.main) await serve(process.argv[2] ?? '', JSON.parse(process.argv[3] ?? '{}') as ServiceSettings);
