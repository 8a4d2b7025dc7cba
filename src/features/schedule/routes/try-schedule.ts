import { mkdir, open, rename, rm } from 'node:fs/promises';
import type { z } from 'zod';
import { messageOf } from '../../../errors/message-of.ts';
import { isZip } from '../../../imports/read/archive/is-zip.ts';
import type { Api, ServerContext } from '../../../server/context.ts';
import { callerOf } from '../../../server/http-answers.ts';
import { Problem } from '../../../server/problem.ts';
import { serve } from '../../../server/serve.ts';
import type { Obtained } from '../../../sources/obtain.ts';
import { shownFile } from '../../../sources/schemes.ts';
import { SourceError } from '../../../sources/source-errors.ts';
import type { SourceReader } from '../../../sources/source-reader.ts';
import { asSentence } from '../../../text/wording.ts';
import { INSPECT_MS, lookText, PREVIEW_ZIP_BYTES, previewOf } from '../../inspect/routes.ts';
import { listRecipes } from '../../recipes/recipe-store.ts';
import { newSyncId } from '../../sync/compose-syncs.ts';
import { planFiles } from '../../sync/plan/prepare.ts';
import type { scheduleTry } from '../api.ts';
import { scheduleOperations } from '../operations.ts';
import type { ScheduleRequest } from '../schedule-catalog.ts';
import { obtainBeside, syncSettings } from '../schedule-sync.ts';
import { importReadingOptions, requestedSchedule } from './requested-schedule.ts';

/** The schedule to try: a new one, or the one with this name as it would be after the edit. */
function requestToTry(
  { settings, scheduleCatalog }: ServerContext,
  { name = '', ...given }: z.infer<typeof scheduleTry>,
): Promise<ScheduleRequest> {
  return requestedSchedule({ cron: '@daily', tz: 'UTC', ...given }, name, scheduleCatalog.find(name), settings);
}

/** `POST /v1/schedules/try` */
export function tryRoute(app: Api, context: ServerContext): void {
  const { dir, syncs, schedules, scheduleCatalog, syncViews } = context;
  serve(app, scheduleOperations.try, async ({ body, who }, reply, audited) => {
    const { name = '' } = body;
    const request = await requestToTry(context, body);
    const id = newSyncId('sync');
    await planOnce(request, id, scheduleCatalog.find(name)?.name, who.name);
    audited(id, name || shownFile(request));
    reply.header('location', `/v1/syncs/${id}`);
    return syncViews.whole(syncs.find(id));
  });

  /** The file is in the sync's folder before it is planned, so that nothing else is kept of it. */
  const planOnce = async (request: ScheduleRequest, id: string, scheduleId: string | undefined, who: string) => {
    const folder = dir.sync(id);
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const found = await getFile(schedules, request, folder);
      if (found.copy !== undefined) await rename(found.path, planFiles(folder).input);
      const beside = await obtainBeside(
        (wanted, place) => getFile(schedules, { ...request, ...wanted }, place.folder),
        request,
        { folder, signal: new AbortController().signal },
      );
      await syncs.create({
        ...(await syncSettings(request, beside)),
        id,
        who,
        file: found.name,
        source: found.copy === undefined ? found.path : found.name,
        apply: false,
        isTry: true,
        ...(scheduleId !== undefined && { scheduleId }),
      });
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
  };
}

/** Size of the beginning of a file that a preview reads, in bytes. */
const HEAD_BYTES = 256 * 1024;

/** `POST /v1/schedules/look`: `/v1/look` of the file that a schedule would read, where the server finds it. */
export function scheduleLookRoute(app: Api, context: ServerContext): void {
  const { heads, dir, schedules, settings } = context;
  serve(app, scheduleOperations.look, async ({ body }, reply) => {
    const caller = callerOf(reply);
    const request = await requestToTry(context, body);
    const options = importReadingOptions(body.reading, settings);
    const file = { ...(await headOf(request, caller.signal)), options };
    const question = { ...file, recipes: listRecipes(dir).recipes };
    const text = await lookText(
      heads.ask('inspect', question, { deadlineMs: INSPECT_MS, ...caller }),
      previewOf(heads, file, caller),
    );
    return reply.type('application/json; charset=utf-8').send(text);
  });

  /** A fetched file is kept in the place that a sync would use, until its beginning is read. */
  const headOf = async (request: ScheduleRequest, left: AbortSignal) => {
    const folder = dir.sync(newSyncId('sync'));
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const { path, name } = await getFile(schedules, request, folder, left);
      return { name, head: await beginning(path) };
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  };
}

/** The beginning of a file, or all of a workbook or archive. @throws Problem BAD_OPTION when there is nothing to look at */
async function beginning(path: string): Promise<Buffer> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    const head = buffer.subarray(0, bytesRead);
    if (head.length === 0) throw new Problem('BAD_OPTION', 'The file is empty.', { field: 'file' });
    if (!isZip(head)) return head;
    const { size } = await file.stat();
    if (size <= PREVIEW_ZIP_BYTES) return await file.readFile();
    throw new Problem('BAD_OPTION', `The workbook or archive has ${size} bytes: too many to look at.`, {
      field: 'file',
      remedy: 'Try the schedule instead: that reads the whole file.',
    });
  } finally {
    await file.close();
  }
}

/** Time in which the file must be there, in ms: a person waits for it. */
const MAX_MS = 60_000;

/**
 * The file that a schedule would read. A fetched file is kept in `folder`.
 * @throws Problem BAD_OPTION, SourceNotAllowed; the signal's reason
 */
async function getFile(
  { runs }: Pick<ServerContext['schedules'], 'runs'>,
  request: Omit<Parameters<SourceReader>[0], 'copy'>,
  folder: string,
  left?: AbortSignal,
): Promise<Obtained> {
  const late = AbortSignal.timeout(MAX_MS);
  const signal = left === undefined ? late : AbortSignal.any([late, left]);
  try {
    return await runs.obtain({ ...request, copy: null }, { folder, signal });
  } catch (error) {
    throw error instanceof SourceError || late.aborted ? noFile(error, late.aborted) : error;
  }
}

function noFile(error: unknown, isLate: boolean): Problem {
  const detail = isLate ? 'The file has not come within a minute.' : asSentence(messageOf(error));
  const remedy = isLate ? 'Add the schedule and run it: runs wait longer.' : 'Check the file and try again.';
  return new Problem('BAD_OPTION', detail, { field: 'file', remedy });
}
