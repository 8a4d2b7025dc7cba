import { createReadStream } from 'node:fs';
import { readFile, rename, rm, stat } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import type { z } from 'zod';
import type { Call } from '../../../api/operation.ts';
import { isError, messageOf, RollcallError } from '../../../errors/rollcall-error.ts';
import { isZip } from '../../../imports/read/decompress.ts';
import { pageRoute } from '../../../server/console-files.ts';
import type { Api, ServerContext } from '../../../server/context.ts';
import { callerOf } from '../../../server/http-answers.ts';
import { type ServedBy, serveAll } from '../../../server/serve.ts';
import type { SourceReader } from '../../../sources/obtain.ts';
import { shownFile } from '../../../sources/schemes.ts';
import { lookAtFile, PREVIEW_ZIP_BYTES } from '../../inspect/routes.ts';
import { reserveSync } from '../../sync/kept-sync.ts';
import { planFiles } from '../../sync/plan/plan-files.ts';
import { wholeSync } from '../../sync/sync-views.ts';
import { scheduleOperations, type scheduleTry } from '../operations.ts';
import { obtainFiles, sourceOf, syncNow } from '../schedule-sync.ts';
import { changingHandlers, lookingHandlers, runningHandlers } from './handlers.ts';
import { checkedReading, settingsToKeep } from './schedule-settings.ts';

export function scheduleRoutes(app: Api, context: ServerContext) {
  for (const url of ['/schedules', '/schedules/new', '/schedules/:name/edit']) pageRoute(app, url);
  serveAll(app, scheduleOperations, { ...scheduleHandlers(context, false), look: lookHandler(context) });
}

/** Does all operations on schedules, in the process that owns the data directory and stays. @param isHere for people on the machine */
export function scheduleHandlers(context: ServerContext, isHere: boolean) {
  const { schedules } = context;
  return {
    ...lookingHandlers(schedules.catalog),
    ...changingHandlers(schedules, isHere),
    ...runningHandlers(schedules.runs),
    try: tryHandler(context, isHere),
  };
}

type Try = z.output<typeof scheduleTry>;

/** A schedule before it is saved: a new one, or one with a name as it would be after the edit. */
function settingsToTry({ catalog, at }: ServerContext['schedules'], { name = '', ...given }: Try, isHere: boolean) {
  return settingsToKeep({ ...given, cron: '@daily', tz: 'UTC' }, catalog.find(name), { ...at, isHere });
}

/** `POST /v1/schedules/try`. The file is in the sync's folder before it is planned, so that nothing else is kept of it. */
function tryHandler({ dir, syncs, schedules }: ServerContext, isHere: boolean) {
  return async (given: Try, { who, audited }: Call) => {
    const { name = '' } = given;
    const settings = await settingsToTry(schedules, given, isHere);
    const schedule = schedules.catalog.find(name)?.name ?? null;
    const id = await reserveSync(dir);
    const folder = dir.sync(id);
    try {
      const place = { folder, signal: new AbortController().signal };
      const files = await obtainFiles(soon(schedules.runs.obtain), settings, place);
      const { path, name: file, copy } = files.found;
      if (copy !== undefined) await rename(path, planFiles(folder).input);
      await syncs.create({
        ...(await syncNow(settings, files)),
        id,
        who,
        file,
        source: copy === undefined ? path : file,
        apply: false,
        isTry: true,
        schedule,
        syncName: schedule ?? undefined,
      });
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
    audited(id, name || shownFile(settings));
    return wholeSync(dir, syncs.find(id), syncs);
  };
}

/** `POST /v1/schedules/look`: `/v1/look` of the file that a schedule would read, where the server finds it. */
function lookHandler({ dir, schedules, heads }: ServerContext): Required<ServedBy<typeof scheduleOperations>>['look'] {
  return async (given, { reply }) => {
    const caller = callerOf(reply);
    const settings = await settingsToTry(schedules, given, false);
    const options = checkedReading(settings);
    // A fetched file is kept in the place that a sync would use, until its beginning is read.
    const folder = dir.sync(await reserveSync(dir));
    try {
      const wanted = { ...sourceOf(settings), copy: null };
      const { path, name } = await soon(schedules.runs.obtain)(wanted, { folder, signal: caller.signal });
      const head = await beginning(path);
      return await lookAtFile({ dir, heads }, { name, head, options }, caller);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  };
}

/** Size of the beginning of a file that a preview reads, in bytes. */
const HEAD_BYTES = 256 * 1024;

/** The beginning of a file, or all of a workbook or archive. @throws BAD_OPTION when there is nothing to look at */
async function beginning(path: string) {
  const head = await buffer(createReadStream(path, { end: HEAD_BYTES - 1 }));
  if (head.length === 0) throw new RollcallError('BAD_OPTION', { what: 'the file is empty', field: 'file' });
  if (!isZip(head)) return head;
  const { size } = await stat(path);
  if (size <= PREVIEW_ZIP_BYTES) return readFile(path);
  throw new RollcallError('BAD_OPTION', {
    what: `the workbook or archive has ${size} bytes: too many to look at`,
    field: 'file',
    remedy: 'try the schedule instead: that reads the whole file',
  });
}

/** Time in which the file must be there, in ms: a person waits for it. */
const MAX_MS = 60_000;

/** Gets a file while a person waits for it. @throws BAD_OPTION, SOURCE_NOT_ALLOWED; the signal's reason */
function soon(obtain: SourceReader): SourceReader {
  return async (wanted, { folder, signal }) => {
    const late = AbortSignal.timeout(MAX_MS);
    try {
      return await obtain(wanted, { folder, signal: AbortSignal.any([late, signal]) });
    } catch (error) {
      if (!late.aborted && !isError(error, 'BAD_SOURCE')) throw error;
      const [what, remedy] = late.aborted
        ? ['the file has not come within a minute', 'add the schedule and run it: runs wait longer']
        : [messageOf(error), 'check the file and try again'];
      throw new RollcallError('BAD_OPTION', { what, field: 'file', remedy });
    }
  };
}
