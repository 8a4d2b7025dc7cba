/**
 * A chat service that answers at once, or after a set time, in a process of its own: real TLS, replies shaped like chat-service.md section 2
 * with a whole action message for every UID (20 KB for 25), put together from prepared pieces so that it costs little.
 * It knows every group and user and refuses nothing.
 *
 * Run   started by the benchmarks (`startStub`), and ends with them
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { AddMembersRequest } from '../src/chat/contract.ts';
import { REGIONS } from '../src/membership/membership.ts';
import { makeCertificate } from '../src/sandbox/https.ts';

export interface Stub {
  readonly port: number;
  /** PEM of the authority to trust. */
  readonly caFile: string;
  /** Ends it; gives the CPU that answering took, in seconds. */
  close(): Promise<number>;
}

const APP = 'bench';

/** Settings with which rollcall finds the stub. */
export function stubSettings({ port, caFile }: Stub): Record<string, string> {
  const apps = REGIONS.flatMap((region) => [
    [`ROLLCALL_${region.toUpperCase()}_APP_ID`, APP],
    [`ROLLCALL_${region.toUpperCase()}_API_KEY`, 'bench-key'],
  ]);
  return { ...Object.fromEntries(apps), ROLLCALL_HOST: `localhost:${port}`, ROLLCALL_CA_FILE: caFile };
}

/** @param answersAfterMs how long it takes over an answer  @param users user-0, user-1, … that its list of users has */
export async function startStub(answersAfterMs = 0, users = 0): Promise<Stub> {
  const folder = await mkdtemp(join(tmpdir(), 'rollcall-stub-'));
  const caFile = join(folder, 'ca.pem');
  const child = spawn(
    process.execPath,
    [fileURLToPath(import.meta.url), caFile, String(answersAfterMs), String(users)],
    {
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  );
  const ended = once(child, 'close');
  const [port] = await Promise.race([once(child.stdout, 'data'), ended]);
  if (child.exitCode !== null) throw new Error('the stub did not start');
  const cpuSeconds = text(child.stdout);
  return {
    port: Number(port),
    caFile,
    close: async () => {
      child.stdin.end();
      await ended;
      await rm(folder, { recursive: true });
      return Number(await cpuSeconds);
    },
  };
}

const entry = preparedEntry();
const users = Number(process.argv[4] ?? 0);

/**
 * Answers a call that reads: every group is there and has no members, every user is there, and no one is banned or
 * deactivated.
 */
function answerReading(url: string, response: ServerResponse): void {
  const { pathname, searchParams } = new URL(url, 'https://stub');
  const [, , kind = '', id, list] = pathname.split('/');
  const perPage = Number(searchParams.get('perPage') ?? searchParams.get('per_page') ?? 100);
  const page = Number(searchParams.get('page') ?? 1);
  const listsUsers = kind === 'users' && id === undefined && !searchParams.has('onlyDeactivated');
  const total = listsUsers ? users : 0;
  const from = (page - 1) * perPage;
  const shown = Array.from({ length: Math.max(0, Math.min(perPage, total - from)) }, (_, n) => ({
    uid: `user-${from + n}`,
    name: `Name of user-${from + n}`,
  }));
  const pagination = {
    total,
    count: shown.length,
    per_page: perPage,
    current_page: page,
    total_pages: Math.ceil(total / perPage),
  };
  const one = kind === 'users' ? { uid: id, name: id } : { guid: id, name: id, type: 'public', membersCount: 0 };
  const isOne = id !== undefined && list === undefined;
  const body = JSON.stringify(isOne ? { data: one } : { data: shown, meta: { pagination } });
  response.writeHead(200, { 'content-type': 'application/json' }).end(body);
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method === 'GET') return answerReading(request.url ?? '', response);
  const guid = request.url?.split('/')[3] ?? '';
  const lists = JSON.parse(await text(request)) as AddMembersRequest;
  const data = Object.entries(lists).map(([list, uids]) => {
    const entries = uids.map((uid) => (list === 'usersToBan' ? `"${uid}":{"success":true}` : entry(guid, uid)));
    return `"${list}":{${entries.join(',')}}`;
  });
  const body = Buffer.from(`{"data":{${data.join(',')}}}`, 'latin1');
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body);
}

/** One entry of a reply, cut at the places where UID and GUID belong. */
function preparedEntry(): (guid: string, uid: string) => string {
  const at = 1_750_000_000;
  const system = { uid: 'app_system', name: 'System', role: 'default', status: 'offline', createdAt: at };
  const message = {
    id: '4711',
    conversationId: 'group_GUID',
    sender: system.uid,
    receiverType: 'group',
    receiver: 'GUID',
    category: 'action',
    type: 'groupMember',
    data: {
      action: 'added',
      entities: {
        by: { entity: system, entityType: 'user' },
        on: { entity: { ...system, uid: 'UID', name: 'Name of UID', updatedAt: at }, entityType: 'user' },
        for: {
          entity: {
            guid: 'GUID',
            name: 'Name of GUID',
            icon: 'https://assets.chat.example/groups/icons/default-group-icon.png',
            description: 'A group in which the members of GUID talk about what they have in common',
            tags: ['bench'],
            type: 'public',
            owner: system.uid,
            membersCount: 250,
            conversationId: 'group_GUID',
            createdAt: at,
            updatedAt: at,
          },
          entityType: 'group',
        },
      },
    },
    sentAt: at,
    updatedAt: at,
  };
  const pieces = `"UID":${JSON.stringify({ success: true, data: message })}`.split(/(GUID|UID)/);
  return (guid, uid) => {
    let written = '';
    for (const piece of pieces) written += piece === 'GUID' ? guid : piece === 'UID' ? uid : piece;
    return written;
  };
}

if (import.meta.main) {
  const names = ['localhost', ...REGIONS.map((region) => `${APP}.api-${region}.localhost`)];
  const { cert, key } = await makeCertificate(names);
  writeFileSync(process.argv[2] ?? '', cert);
  const answersAfterMs = Number(process.argv[3]);
  const server = createServer({ cert, key, keepAliveTimeout: 120_000 }, (request, response) => {
    if (answersAfterMs === 0) void answer(request, response);
    else setTimeout(answer, answersAfterMs, request, response);
  });
  server.listen(0, 'localhost', () => process.stdout.write(String((server.address() as AddressInfo).port)));
  const cpuBefore = process.cpuUsage();
  process.stdin
    .on('end', () => {
      // The benchmark has finished, or it was killed.
      const { user, system } = process.cpuUsage(cpuBefore);
      process.stdout.write(String((user + system) / 1e6), () => process.exit());
    })
    .resume();
}
