/**
 * Contender of fleet.ts: the least that Node can do for these calls. No file is read and nothing is looked at: undici
 * sends calls of 25 made-up UIDs, and JSON.parse reads the replies.
 */

import { readFileSync } from 'node:fs';
import { Pool } from 'undici';
import { MAX_UIDS_PER_CALL } from '../src/chat/service/limits.ts';
import { report } from './measure.ts';

const CALLS_AT_A_TIME = 60;
/** The scopes as generate.ts mixes them, so that the replies are as long as those of the other contenders. */
const LISTS = ['participants', 'participants', 'participants', 'moderators', 'admins', 'usersToBan'] as const;

const [rows = '', port = '', caFile = ''] = process.argv.slice(2);

await report(async () => {
  const pool = new Pool(`https://localhost:${port}`, {
    connections: CALLS_AT_A_TIME,
    connect: { ca: readFileSync(caFile, 'utf8') },
  });
  let next = 0;
  const sender = async () => {
    while (next < Number(rows)) {
      const from = next;
      next = Math.min(from + MAX_UIDS_PER_CALL, Number(rows));
      await send(pool, from, next);
    }
  };
  await Promise.all(Array.from({ length: CALLS_AT_A_TIME }, sender));
  await pool.close();
  return next;
});

async function send(pool: Pool, from: number, to: number): Promise<void> {
  const body: Partial<Record<(typeof LISTS)[number], string[]>> = {};
  for (let row = from; row < to; row += 1) {
    const list = LISTS[row % LISTS.length] ?? 'participants';
    body[list] ??= [];
    body[list].push(`user-${row}`);
  }
  const reply = await pool.request({
    method: 'POST',
    path: '/v3/groups/group-1/members',
    headers: { apikey: 'bench-key', 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  JSON.parse(await reply.body.text());
  if (reply.statusCode !== 200) throw new Error(`HTTP ${reply.statusCode}`);
}
