import { existsSync } from 'node:fs';
import { noteHere } from '../../../cli/audit.ts';
import { currentUser } from '../../../cli/current-user.ts';
import { askOwner, readAnswer, whenLeft } from '../../../imports/life/control.ts';
import type { Config } from '../../../platform/config.ts';
import { type DataDir, dataDir, ownDataDir } from '../../../platform/data-dir.ts';
import { addressName, isAddress } from '../../../text/address.ts';
import { inShort } from '../../../text/wording.ts';
import { readSyncOptions } from '../../sync/sync-options.ts';
import { scheduleBook } from '../schedule-book.ts';
import type { ScheduleRequest } from '../schedule-catalog.ts';
import {
  openScheduleCatalog,
  type ScheduleRecord,
  type ScheduleRun,
  scheduleRecord,
  scheduleRun,
} from '../schedule-catalog.ts';
import { changeBook, type ScheduleChange } from '../schedule-messages.ts';

/** The process that owns the data directory changes schedules: the server if one runs, else the command. */

interface Changed {
  /** The current record, or the last one before the removal. */
  readonly record: ScheduleRecord;
  /** Whether a server owns it, and starts its runs. */
  readonly isServed: boolean;
}

/** Asks the owner, or changes the catalog here. */
export async function changeSchedules(config: Config, wanted: ScheduleChange): Promise<Changed> {
  const dir = dataDir(config.dataDir);
  const changed = await changeThere(dir, wanted);
  noteHere(dir, `schedule.${wanted.verb}`, nameOf(wanted), 'request' in wanted ? inShortOf(wanted.request) : '');
  return changed;
}

function nameOf(wanted: ScheduleChange): string {
  return 'request' in wanted ? wanted.request.name : wanted.name;
}

/** Without the query of an address, which may hold a secret. */
function inShortOf({ cron, tz, source, options, repair, catchUp }: ScheduleRequest): string {
  const file = isAddress(source) ? addressName(source) : source;
  const { reading: _, flags, ...decided } = readSyncOptions({ options });
  return inShort({ cron, tz, file, repair, catchUp, ...decided, flags });
}

async function changeThere(dir: DataDir, wanted: ScheduleChange): Promise<Changed> {
  const path = `/schedules/${encodeURIComponent(nameOf(wanted))}/${wanted.verb}`;
  const asked =
    wanted.verb === 'add'
      ? await askOwner(dir, 'POST', '/schedules', wanted.request)
      : await askOwner(dir, 'POST', path, wanted.verb === 'edit' ? wanted : undefined);
  const answer = readAnswer(scheduleRecord, asked);
  if (answer !== undefined) return { record: answer, isServed: true };
  const release = await whenLeft(dir, () => ownDataDir(dir));
  try {
    const catalog = openScheduleCatalog(dir.catalog);
    try {
      const record = await changeBook(scheduleBook({ catalog, folder: dir.schedule, clock: Date.now }), wanted);
      return { record, isServed: false };
    } finally {
      catalog.close();
    }
  } finally {
    release();
  }
}

/** Has the owner start a run; undefined when there is no owner. */
export async function askToRun(config: Config, name: string): Promise<ScheduleRun | undefined> {
  const dir = dataDir(config.dataDir);
  if (!existsSync(dir.catalog)) return undefined;
  const path = `/schedules/${encodeURIComponent(name)}/run`;
  return readAnswer(scheduleRun, await askOwner(dir, 'POST', path, currentUser()));
}
