import { mkdir, open, rm } from 'node:fs/promises';
import { isReadAtRandom } from '../../../imports/read/random-access.ts';
import { callerOf } from '../../../server/bounded-answer.ts';
import type { Api, ServerContext } from '../../../server/context.ts';
import { Problem } from '../../../server/problem.ts';
import { serve } from '../../../server/serve.ts';
import { INSPECT_MS, lookText, PREVIEW_ZIP_BYTES, previewOf } from '../../inspect/routes.ts';
import { listRecipes } from '../../recipes/recipe-store.ts';
import { newSyncId } from '../../sync/compose-syncs.ts';
import { scheduleOperations } from '../operations.ts';
import type { ScheduleRequest } from '../schedule-book.ts';
import type { ScheduleCatalogReader } from '../schedule-catalog.ts';
import { getFile } from './get-file.ts';
import { importReadingOptions, requestedSchedule } from './requested-schedule.ts';

/** Size of the beginning of a file that a preview reads, in bytes. */
const HEAD_BYTES = 256 * 1024;

/** `POST /v1/schedules/look`: `/v1/look` of the file that a schedule would read, where the server finds it. */
export function scheduleLookRoute(
  app: Api,
  { heads, dir, schedules, settings }: ServerContext,
  catalog: Pick<ScheduleCatalogReader, 'find'>,
): void {
  serve(app, scheduleOperations.look, async ({ body: { name = '', ...given } }, reply) => {
    const caller = callerOf(reply);
    const known = catalog.find(name);
    const base = known && { record: known, isEdited: true };
    const request = await requestedSchedule({ cron: '@daily', tz: 'UTC', ...given }, name, base, settings);
    const options = importReadingOptions(given.reading, settings);
    const { head, name: shown } = await headOf(request, caller.signal);
    const question = { head, name: shown, options, recipes: listRecipes(dir) };
    const text = await lookText(
      heads.ask('inspect', question, { deadlineMs: INSPECT_MS, ...caller }),
      previewOf(heads, { head, name: shown, options }, caller),
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
    if (!isReadAtRandom(head)) return head;
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
