import { rm } from 'node:fs/promises';
import { z } from 'zod';
import { operationsOf } from '../../api/operation.ts';
import { option, words } from '../../errors/named-options.ts';
import { checkCron, nextRun } from '../../queue/cron.ts';
import { adapterFor, checkedAddress, shownFile } from '../../sources/schemes.ts';
import { isAddress, isRemote } from '../../text/address-text.ts';
import { inShort } from '../../text/wording.ts';
import { limitsWith } from '../sync/guard-limits.ts';
import { readProtectFile } from '../sync/plan/protect.ts';
import {
  EditedMeanwhile,
  requestText,
  type ScheduleCatalog,
  ScheduleError,
  type ScheduleRecord,
  type ScheduleRequest,
  scheduleRecord,
  scheduleRequest,
} from './schedule-catalog.ts';

/** A change of the schedules: plain data, so that a command can send it to the process that owns the data directory. */
const scheduleChange = z.discriminatedUnion('verb', [
  z.object({ verb: z.literal('add'), request: scheduleRequest }),
  /** Replaces all settings. `version`: the one that the user has seen. */
  z.object({ verb: z.literal('edit'), request: scheduleRequest, version: z.int() }),
  /** Nothing is due while it is paused, nor missed. Removed with its history and the copy of its source; its syncs stay. */
  z.object({ verb: z.enum(['pause', 'resume', 'remove']), name: z.string() }),
]);
export type ScheduleChange = z.infer<typeof scheduleChange>;

/** For commands on the machine of a server: their schedules may name any file. */
export const ownerOperations = {
  change: operationsOf('schedules')('POST /schedules', 'admin', {
    summary: 'Change the schedules',
    body: scheduleChange,
    answer: scheduleRecord,
  }),
};

/** A change in the audit log, without the query of an address, which may hold a secret. */
export function changeText(change: ScheduleChange): string {
  if (!('request' in change)) return '';
  const { cron, tz, source, options, repair, catchUp } = change.request;
  const { reading: _, flags, ...decided } = options;
  return inShort({ cron, tz, file: shownFile({ file: source }), repair, catchUp, ...decided, flags });
}

/** Ms since 1970. */
export type Clock = () => number;

/** The catalog that is changed, and what a change has to know. */
export interface ChangeOptions {
  readonly catalog: ScheduleCatalog;
  /** Returns the folder of a schedule's own files, beside the catalog. */
  readonly folder: (name: string) => string;
  readonly clock: Clock;
  /** Whether this process is at work on a run of it. Default: never. */
  readonly isUnderWay?: (name: string) => boolean;
}

/**
 * Returns the schedule as it is afterwards, or was before it was removed. A run that is under way keeps the settings that it
 * began with.
 * @throws ScheduleError, EditedMeanwhile, CronError, SourceError, PackageMissing, LimitError, ProtectFileError: nothing was
 * changed then
 */
export async function changeSchedule(options: ChangeOptions, change: ScheduleChange): Promise<ScheduleRecord> {
  switch (change.verb) {
    case 'add':
      return add(options, change.request);
    case 'edit':
      return edit(options, change.request, change.version);
    case 'pause':
    case 'resume':
      return setPaused(options, change.name, change.verb === 'pause');
    case 'remove':
      return remove(options, change.name);
  }
}

/** Addresses of the API beside those of schedules: `/v1/schedules/next`. */
const TAKEN_NAMES: ReadonlySet<string> = new Set(['next', 'nights', 'look', 'try']);
/** Becomes the name of a folder, and part of the names of jobs. */
const NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/;

async function add({ catalog, clock }: ChangeOptions, request: ScheduleRequest): Promise<ScheduleRecord> {
  const { name, cron, tz } = request;
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
  catalog.add(request, at, nextRun(cron, tz, at));
  return catalog.get(name);
}

async function edit(
  { catalog, clock }: ChangeOptions,
  request: ScheduleRequest,
  version: number,
): Promise<ScheduleRecord> {
  const { name, cron, tz, source } = request;
  catalog.get(name);
  await checkRequest(request);
  const before = catalog.get(name);
  if (before.version !== version) throw new EditedMeanwhile(name, before.version, version);
  if (requestText(before) === requestText(request)) return before;
  const at = clock();
  const isSameTime = before.cron === cron && before.tz === tz;
  catalog.edit(request, {
    timedAt: isSameTime ? before.timedAt : at,
    nextDue: isSameTime ? before.nextDue : nextRun(cron, tz, at),
    copy: before.source === source ? before.copy : null,
  });
  return catalog.get(name);
}

function setPaused({ catalog, clock }: ChangeOptions, name: string, paused: boolean): ScheduleRecord {
  const { cron, tz, paused: was } = catalog.get(name);
  const at = clock();
  if (was !== paused) catalog.setPaused(name, paused, at, nextRun(cron, tz, at));
  return catalog.get(name);
}

async function remove(
  { catalog, folder, isUnderWay = () => false }: ChangeOptions,
  name: string,
): Promise<ScheduleRecord> {
  const record = catalog.get(name);
  if (isUnderWay(name)) {
    throw new ScheduleError(`schedule ${name} is running`, 'pause it, and remove it when the run has finished');
  }
  catalog.remove(name);
  await rm(folder(name), { recursive: true, force: true });
  return record;
}

/** @throws CronError, SourceError, PackageMissing, ScheduleError, LimitError, ProtectFileError */
async function checkRequest(request: ScheduleRequest): Promise<void> {
  const { file, cron, tz, source, headers, settings, protectFile, options } = request;
  checkCron(cron, tz);
  if (isAddress(source)) await adapterFor(checkedAddress(source, { ...settings, headers }));
  else if (!isRemote(source) && Object.keys(headers).length > 0) {
    throw ScheduleError.bad(
      'headers',
      `headers are for https addresses, and ${JSON.stringify(file)} is not one`,
      words`leave ${option('header')} out`,
    );
  }
  limitsWith(options.limits);
  if (protectFile !== null && !isRemote(protectFile)) await readProtectFile(protectFile);
}
