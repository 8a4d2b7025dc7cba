import { mkdir, rename, rm } from 'node:fs/promises';
import type { Api, ServerContext } from '../../../server/context.ts';
import { serve } from '../../../server/serve.ts';
import { shownFile } from '../../../sources/schemes.ts';
import { newSyncId } from '../../sync/compose-syncs.ts';
import { planFiles } from '../../sync/plan/prepare.ts';
import { obtainBeside } from '../obtain-beside.ts';
import { scheduleOperations } from '../operations.ts';
import type { ScheduleRequest } from '../schedule-book.ts';
import type { ScheduleCatalogReader } from '../schedule-catalog.ts';
import { syncSettings } from '../schedule-sync.ts';
import { getFile } from './get-file.ts';
import { requestedSchedule } from './requested-schedule.ts';

/** `POST /v1/schedules/try` */
export function tryRoute(
  app: Api,
  { dir, syncs, schedules, settings, syncViews }: ServerContext,
  catalog: Pick<ScheduleCatalogReader, 'find'>,
): void {
  serve(app, scheduleOperations.try, async ({ body: { name = '', ...given }, who }, reply, audited) => {
    const known = catalog.find(name);
    const base = known && { record: known, isEdited: true };
    const request = await requestedSchedule({ cron: '@daily', tz: 'UTC', ...given }, name, base, settings);
    const id = newSyncId('sync');
    await planOnce(request, id, known === undefined ? undefined : name, who.name);
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
        ...{ id, who },
        file: found.name,
        source: found.copy === undefined ? found.path : found.name,
        apply: false,
        ...(scheduleId !== undefined && { scheduleId }),
      });
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
  };
}
