import { existsSync } from 'node:fs';
import { askOwner, type ControlHandler } from '../../imports/life/control.ts';
import type { Config } from '../../platform/config.ts';
import { type DataDir, dataDir, ownDataDir } from '../../platform/data-dir.ts';
import { inShort } from '../../server/access/noting.ts';
import { type ScheduleBook, type ScheduleWish, scheduleBook } from '../../syncs/schedule/schedule-book.ts';
import { openScheduleCatalog, type ScheduleRecord, type ScheduleRun } from '../../syncs/schedule/schedule-catalog.ts';
import type { Schedules } from '../../syncs/schedule/schedules.ts';
import { addressName, isAddress } from '../../syncs/schedule/source.ts';
import { noteHere } from '../audit.ts';
import { whoTypes } from '../target/sync-data.ts';

/** Schedules are changed by the process that owns the data directory: the server where there is one, else the command. */

/** What commands do to schedules. */
export type ScheduleChange =
  | { readonly verb: 'add'; readonly wish: ScheduleWish }
  | { readonly verb: 'pause' | 'resume' | 'remove'; readonly name: string };

/** How a server answers its commands. */
export function scheduleControl(schedules: Schedules): ControlHandler {
  return (method, [first, name, verb], body) => {
    if (method !== 'POST' || first !== 'schedules') return undefined;
    if (name === undefined) return change(schedules, { verb: 'add', wish: body as ScheduleWish });
    if (verb === 'pause' || verb === 'resume' || verb === 'remove') return change(schedules, { verb, name });
    if (verb === 'run') return Promise.resolve().then(() => schedules.run(name, String(body)));
    return undefined;
  };
}

export interface Changed {
  /** As it is now; null when it is gone. */
  readonly record: ScheduleRecord | null;
  /** Whether a server has it, and begins its runs. */
  readonly isServed: boolean;
}

/** Asks the owner, or changes the catalog here. */
export async function changeSchedules(config: Config, wanted: ScheduleChange): Promise<Changed> {
  const dir = dataDir(config.dataDir);
  const changed = await changeThere(dir, wanted);
  const name = wanted.verb === 'add' ? wanted.wish.name : wanted.name;
  noteHere(dir, `schedule.${wanted.verb}`, name, wanted.verb === 'add' ? wishInShort(wanted.wish) : '');
  return changed;
}

/** Without the query of an address, which may hold a secret. */
function wishInShort({ cron, tz, source, options, repair, catchUp }: ScheduleWish): string {
  const file = isAddress(source) ? addressName(new URL(source)) : source;
  const { reading: _, ...decided } = JSON.parse(options) as { readonly reading?: unknown };
  return inShort({ cron, tz, file, repair, catchUp, ...decided });
}

async function changeThere(dir: DataDir, wanted: ScheduleChange): Promise<Changed> {
  const asked =
    wanted.verb === 'add'
      ? await askOwner(dir, 'POST', '/schedules', wanted.wish)
      : await askOwner(dir, 'POST', `/schedules/${encodeURIComponent(wanted.name)}/${wanted.verb}`);
  if (asked !== undefined) return { record: asked as ScheduleRecord | null, isServed: true };
  const release = ownDataDir(dir);
  try {
    const catalog = openScheduleCatalog(dir.catalog);
    try {
      const record = await change(scheduleBook(catalog, dir.schedule, Date.now), wanted);
      return { record, isServed: false };
    } finally {
      catalog.close();
    }
  } finally {
    release();
  }
}

/** Has the owner begin a run; undefined when there is none. */
export async function askToRun(config: Config, name: string): Promise<ScheduleRun | undefined> {
  const dir = dataDir(config.dataDir);
  if (!existsSync(dir.catalog)) return undefined;
  const path = `/schedules/${encodeURIComponent(name)}/run`;
  return (await askOwner(dir, 'POST', path, whoTypes())) as ScheduleRun | undefined;
}

async function change(book: ScheduleBook, wanted: ScheduleChange): Promise<ScheduleRecord | null> {
  switch (wanted.verb) {
    case 'add':
      return book.add(wanted.wish);
    case 'pause':
    case 'resume':
      return book[wanted.verb](wanted.name);
    case 'remove':
      await book.remove(wanted.name);
      return null;
  }
}
