/**
 * Contender of import.ts: the script that one would write instead. The whole file is grouped in memory, sent with fetch,
 * 25 UIDs a call, and the successes are counted. No checks, no retries, no rate limit, nothing to resume, no report.
 */
import { createReadStream } from 'node:fs';
import { parse } from 'csv-parse';
import pLimit from 'p-limit';
import type { AddMembersReply } from '../src/chat/contract.ts';
import { report } from './measure.ts';

const CALLS_AT_A_TIME = 60;
const UIDS_PER_CALL = 25;
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

const [file = '', port = ''] = process.argv.slice(2);

await report(async () => {
  const groups = new Map<string, Row[]>();
  for await (const row of createReadStream(file).pipe(parse({ columns: true })) as AsyncIterable<Row>) {
    const rows = groups.get(row.guid);
    if (rows === undefined) groups.set(row.guid, [row]);
    else rows.push(row);
  }
  const limit = pLimit(CALLS_AT_A_TIME);
  const calls: Promise<number>[] = [];
  for (const [guid, rows] of groups) {
    for (let from = 0; from < rows.length; from += UIDS_PER_CALL) {
      calls.push(limit(send, guid, rows.slice(from, from + UIDS_PER_CALL)));
    }
  }
  return (await Promise.all(calls)).reduce((sum, successes) => sum + successes, 0);
});

async function send(guid: string, rows: readonly Row[]): Promise<number> {
  const body: Record<string, string[]> = {};
  for (const { uid, scope } of rows) {
    const list = LISTS.get(scope) ?? 'participants';
    body[list] ??= [];
    body[list].push(uid);
  }
  const response = await fetch(`https://localhost:${port}/v3/groups/${guid}/members`, {
    method: 'POST',
    headers: { apikey: 'bench-key', 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  const { data } = (await response.json()) as AddMembersReply;
  let successes = 0;
  for (const entries of Object.values(data) as Record<string, { success?: boolean }>[]) {
    for (const entry of Object.values(entries)) if (entry.success === true) successes += 1;
  }
  return successes;
}
