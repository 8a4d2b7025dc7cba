import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { PlanFlags } from '../../../api/sync-entry.ts';
import { DEFAULT_REGION } from '../../../chat/service/regions.ts';
import { endingBefore, hasEnds, mayHaveEnds, type NotedImport } from '../../../imports/ends/ends.ts';
import { ENDS_SCHEMA, IMPORT_SCHEMA } from '../../../imports/schemas.ts';
import type { Aimed } from '../../../imports/target.ts';
import { writeWhole } from '../../../platform/files.ts';
import { attachForReading, inTransaction, openForWriting, statementsOf } from '../../../platform/sqlite.ts';
import { writeTable } from '../../../platform/table.ts';
import { isoTime } from '../../../text/wording.ts';
import { PLAN_SCHEMA } from '../plan/plan-reading.ts';

const STATEMENTS = new URL('plan-ends.sql', import.meta.url);
/** A run of a sync that is over, whose file says which memberships end. */
export interface NotedRun extends Omit<NotedImport, 'ledger' | 'isOfSync' | 'retried'> {
  readonly plan: string;
  readonly desired: string;
  readonly mode: PlanFlags['mode'];
}

/** Writes the ends of the members whom the file of a sync names. Doing it again changes nothing. */
export function noteRun({ ends, plan, desired, mode, by, at, apps, earlier }: NotedRun) {
  const all = earlier.some(mayHaveEnds);
  if (!all && !existsSync(ends) && !hasEnds(desired)) return;
  using database = openForWriting(ends, ENDS_SCHEMA);
  attachForReading(database, plan, 'planned', PLAN_SCHEMA);
  attachForReading(database, desired, 'desired', IMPORT_SCHEMA);
  const sql = statementsOf(database, STATEMENTS);
  inTransaction(database, () => {
    if (mode === 'expiry') sql('forget_gone').run({ apps });
    else sql('note_plan').run({ apps, by, at, all: all ? 1 : 0 });
  });
}

/** The input of an expiry whose folder this is: who is over is written there before each plan. */
export function expiryOf(folder: string) {
  return {
    mode: 'expiry',
    missing: 'remove',
    file: 'Memberships that are over',
    source: join(folder, 'over.csv'),
    reading: { format: 'csv', map: {}, region: DEFAULT_REGION },
  } as const;
}

/** Writes who is over into the folder of an expiry. @param copy the plan's copy of an earlier try: a later row may have moved an end since */
export async function writeOver(folder: string, ends: string, aimed: Aimed, copy: string | undefined) {
  const over = endingBefore(ends, aimed, Date.now(), -1);
  const rows = over.map(({ region, guid, uid, until }) => [region, guid, uid, isoTime(until)]);
  if (copy !== undefined) await rm(copy, { force: true });
  await writeWhole(
    expiryOf(folder).source,
    writeTable(['region', 'guid', 'uid', 'until'], rows, 'csv', { exact: true }),
  );
}
