import { rm } from 'node:fs/promises';
import { option, words } from '../../errors/named-options.ts';
import { createSettingsOf } from '../../options/create-options.ts';
import { mapLookups } from '../../options/lookups.ts';
import { checkCron, nextRun } from '../../queue/cron.ts';
import { adapterFor, checkedAddress, shownFile } from '../../sources/schemes.ts';
import { isAddress, isRemote } from '../../text/address-text.ts';
import { limitsWith } from '../sync/guard-limits.ts';
import { readProtectFile } from '../sync/plan/protect.ts';
import { readSyncOptions } from '../sync/sync-options.ts';
import type { ScheduleCatalog, ScheduleRecord, ScheduleRequest, SettingChange } from './schedule-catalog.ts';
import { EditedMeanwhile, foundSchedule, ScheduleError } from './schedule-errors.ts';

/** Ms since 1970. */
export type Clock = () => number;

/** The list of schedules. */
export interface ScheduleBook {
  /** @throws ScheduleError, CronError, SourceError, LimitError, ProtectFileError: nothing was written then */
  add(request: ScheduleRequest): Promise<ScheduleRecord>;
  /**
   * Replaces the settings of the schedule with this name; a run that is under way keeps those that it began with.
   * @throws as add; EditedMeanwhile
   * @param version the one that the user has seen
   */
  edit(request: ScheduleRequest, version: number, who: string): Promise<ScheduleRecord>;
  /** @throws ScheduleError, like all that name one */
  find(name: string): ScheduleRecord;
  list(): ScheduleRecord[];
  /** Nothing is due while it is paused, nor missed. */
  pause(name: string): ScheduleRecord;
  resume(name: string): ScheduleRecord;
  /** With its history, and the copy that is kept of its source. Its syncs stay. @throws ScheduleError while it runs */
  remove(name: string): Promise<void>;
}

/** Addresses of the API beside those of schedules: `/v1/schedules/next`. */
const TAKEN_NAMES: ReadonlySet<string> = new Set(['next', 'nights', 'look', 'try']);
/** Becomes the name of a folder, and part of the names of jobs. */
const NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/;

/** The catalog that the book keeps, and who learns of changes. */
export interface ScheduleBookOptions {
  readonly catalog: ScheduleCatalog;
  /** Returns the folder of a schedule's own files, beside the catalog. */
  readonly folder: (name: string) => string;
  readonly clock: Clock;
  /** Whether this process is at work on a run of it. Default: never. */
  readonly isUnderWay?: (name: string) => boolean;
  /** Another schedule is the next one that is due, or may be. */
  readonly changed?: () => void;
}

export function scheduleBook(options: ScheduleBookOptions): ScheduleBook {
  const { catalog, folder, clock, isUnderWay = () => false, changed = () => {} } = options;
  const find = (name: string) => foundSchedule(catalog, name);
  const setPaused = (name: string, paused: boolean): ScheduleRecord => {
    const { cron, tz, paused: was } = find(name);
    const at = clock();
    if (was !== paused) catalog.setPaused(name, paused, { at, nextDue: nextRun(cron, tz, at) });
    changed();
    return find(name);
  };
  return {
    find,
    list: catalog.list,
    add: async (request) => {
      const { name, cron, tz, restricted = false } = request;
      if (!NAME.test(name) || TAKEN_NAMES.has(name)) {
        throw ScheduleError.bad(
          'name',
          `${JSON.stringify(name)} cannot be the name of a schedule`,
          `allowed are up to 64 lower-case letters, digits, - and _, the first a letter or digit, but not ${[...TAKEN_NAMES].join(', ')}`,
        );
      }
      await checkRequest(request);
      if (catalog.find(name) !== undefined) {
        throw new ScheduleError(
          `there is a schedule ${JSON.stringify(name)} already`,
          `take another name, or remove it first: rollcall schedule remove ${name}`,
        );
      }
      const at = clock();
      catalog.add({ ...request, restricted, nextDue: nextRun(cron, tz, at) }, at);
      changed();
      return find(name);
    },
    edit: async (request, version, who) => {
      const { name, cron, tz, restricted = false } = request;
      find(name);
      await checkRequest(request);
      const at = clock();
      const before = find(name);
      const changes = scheduleChanges(before, { ...request, restricted });
      if (before.version !== version) throw new EditedMeanwhile(name, catalog.edits(name, version));
      if (changes.length === 0) return before;
      const isSameTime = before.cron === cron && before.tz === tz;
      const nextDue = isSameTime ? before.nextDue : nextRun(cron, tz, at);
      catalog.edit({ ...request, restricted, nextDue }, { before: version, at, who, changes });
      changed();
      return find(name);
    },
    pause: (name) => setPaused(name, true),
    resume: (name) => setPaused(name, false),
    remove: async (name) => {
      find(name);
      if (isUnderWay(name)) {
        throw new ScheduleError(`schedule ${name} is running`, 'pause it, and remove it when the run has finished');
      }
      catalog.remove(name);
      changed();
      await rm(folder(name), { recursive: true, force: true });
    },
  };
}

/** @throws CronError, SourceError, PackageMissing, ScheduleError, LimitError, ProtectFileError */
async function checkRequest({
  file,
  cron,
  tz,
  source,
  headers,
  settings = {},
  protectFile,
  options,
}: ScheduleRequest): Promise<void> {
  checkCron(cron, tz);
  if (isAddress(source)) await adapterFor(checkedAddress(source, { ...settings, headers }));
  else if (!isRemote(source) && Object.keys(headers).length > 0) {
    throw ScheduleError.bad(
      'headers',
      `headers are for https addresses, and ${JSON.stringify(file)} is not one`,
      words`leave ${option('header')} out`,
    );
  }
  limitsWith(readSyncOptions({ options }).limits);
  if (protectFile !== null && !isRemote(protectFile)) await readProtectFile(protectFile);
}

/** Returns the changes of an edit, by the settings' names for users. Nothing that may be a secret is in it. */
function scheduleChanges(before: ScheduleRequest, after: ScheduleRequest): SettingChange[] {
  const was = shownSettings(before);
  const is = shownSettings(after);
  const changes = [...new Set([...Object.keys(was), ...Object.keys(is)])].flatMap((field) => {
    const [from, to] = [textOf(was[field]), textOf(is[field])];
    return from === to ? [] : [{ field, from, to }];
  });
  const isOtherQuery = before.source !== after.source && was['file'] === is['file'];
  return isOtherQuery
    ? [...changes, { field: 'file', from: textOf(was['file']), to: 'the same with another query' }]
    : changes;
}

function shownSettings(settings: ScheduleRequest): Readonly<Record<string, unknown>> {
  const {
    cron,
    tz,
    file,
    headers,
    settings: source,
    maxSource,
    protectFile,
    options,
    repair,
    catchUp,
    restricted,
  } = settings;
  const { reading, flags, create, ...decided } = readSyncOptions({ options });
  return {
    cron,
    tz,
    headers,
    source,
    maxSource,
    repair,
    catchUp,
    restricted,
    protectFile: protectFile && shownFile({ file: protectFile }),
    file: shownFile({ file }),
    ...decided,
    ...(create !== undefined && createSettingsOf(create)),
    ...flags,
    ...reading,
    ...mapLookups(reading ?? {}, ({ path, ...kept }) => ({ ...kept, path: shownFile({ file: path }) })),
  };
}

/** '' where it is not set, or set to nothing. */
function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value !== 'object') return String(value);
  return Object.keys(value).length === 0 ? '' : JSON.stringify(value);
}
