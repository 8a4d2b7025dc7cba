/**
 * Contender of fleet.ts: the queue that one would build instead. One job for each row, one call for each job.
 *
 * Run   started by fleet.ts: `add <file>` puts all rows into the queue and waits until none is left there; `work` sends
 *       them until SIGTERM.
 */
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Queue, Worker } from 'bullmq';
import { parse } from 'csv-parse';
import { Redis } from 'ioredis';
import type { AddMembersReply } from '../src/chat/contract.ts';
import { report } from './measure.ts';

const QUEUE = 'naive';
const ROWS_AT_A_TIME = 1_000;
const CALLS_AT_A_TIME = 60;
const LISTS = new Map([
  ['admin', 'admins'],
  ['moderator', 'moderators'],
  ['participant', 'participants'],
  ['ban', 'usersToBan'],
]);

interface Row {
  readonly guid: string;
  readonly uid: string;
  readonly scope: string;
}

const [role, url = '', port = '', file = ''] = process.argv.slice(2);

await report(async () => {
  const connection = new Redis(url, { maxRetriesPerRequest: null });
  const work = role === 'add' ? addAll : sendAll;
  const count = await work(connection);
  connection.disconnect();
  return count;
});

async function addAll(connection: Redis): Promise<number> {
  const queue = new Queue(QUEUE, { connection, defaultJobOptions: { removeOnComplete: true, attempts: 8 } });
  let added = 0;
  let chunk: { name: string; data: Row }[] = [];
  const add = async () => {
    await queue.addBulk(chunk);
    added += chunk.length;
    chunk = [];
  };
  for await (const data of createReadStream(file).pipe(parse({ columns: true })) as AsyncIterable<Row>) {
    if (chunk.push({ name: 'add-member', data }) === ROWS_AT_A_TIME) await add();
  }
  await add();
  while (Object.values(await queue.getJobCounts('waiting', 'active')).some((jobs) => jobs > 0)) await sleep(100);
  await queue.close();
  return added;
}

async function sendAll(connection: Redis): Promise<number> {
  let successes = 0;
  const worker = new Worker<Row>(
    QUEUE,
    async ({ data }) => {
      successes += await send(data);
    },
    { connection, concurrency: CALLS_AT_A_TIME },
  );
  worker.on('error', (error) => process.stderr.write(`${error.message}\n`));
  worker.on('failed', (_job, error) => process.stderr.write(`${error.message}\n`));
  await once(process, 'SIGTERM');
  await worker.close();
  return successes;
}

async function send({ guid, uid, scope }: Row): Promise<number> {
  const response = await fetch(`https://localhost:${port}/v3/groups/${guid}/members`, {
    method: 'POST',
    headers: { apikey: 'bench-key', 'content-type': 'application/json' },
    body: JSON.stringify({ [LISTS.get(scope) ?? 'participants']: [uid] }),
  });
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  const { data } = (await response.json()) as AddMembersReply;
  const entries = Object.values(data).flatMap((list) => Object.values(list ?? {}) as { success?: boolean }[]);
  return entries.filter(({ success }) => success === true).length;
}
