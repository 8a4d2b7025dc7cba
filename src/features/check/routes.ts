import { createReadStream, existsSync } from 'node:fs';
import { checkFiles } from '../../imports/predictions/check-paths.ts';
import { DEFAULT_MAX_CALLS } from '../../options/sending-options.ts';
import type { DataDir } from '../../platform/data-dir.ts';
import type { Api, ServerContext } from '../../server/context.ts';
import { attachment } from '../../server/http-answers.ts';
import { Problem } from '../../server/problem.ts';
import { serve } from '../../server/serve.ts';
import { inShort } from '../../text/wording.ts';
import type { CheckView } from './api.ts';
import { checkView } from './check-view.ts';
import { type Checks, checkOf, createChecks } from './checks.ts';
import { checkOperations } from './operations.ts';

/** Checks of staged imports: which rows would fail, before anything is sent. */
export function checkRoutes(app: Api, { coordinator, dir, settings, anybodyActs, log }: ServerContext): void {
  const { apps } = settings;
  const checks = createChecks({ dir, coordinator, apps, pace: settings, anybodyActs });
  app.addHook('preClose', () => checks.stop());
  coordinator.events.on('removed', (id) => checks.forget(id));

  serve(
    app,
    checkOperations.begin,
    async ({ params: { id }, query: { maxCalls = DEFAULT_MAX_CALLS } }, reply, audited) => {
      const { begun, ended } = checks.start(id, { maxCalls });
      ended.catch((err: unknown) => log.error({ err, import: id }, 'the check failed'));
      await begun;
      audited(inShort({ maxCalls }));
      reply.header('location', `/v1/imports/${id}/check`);
      return await viewOf(checks, dir, id);
    },
  );

  serve(app, checkOperations.one, async ({ params: { id } }) => {
    coordinator.find(id);
    return viewOf(checks, dir, id);
  });

  for (const list of ['rows', 'groups'] as const) {
    serve(app, checkOperations[list], async ({ params: { id } }, reply) => {
      const { file } = coordinator.find(id);
      const path = checkFiles(dir.folder(id))[list];
      const isDone = checkOf(dir.folder(id))?.state === 'done' && existsSync(path);
      if (!isDone) throw noCheck(id);
      reply.type('text/csv; charset=utf-8');
      reply.header('content-disposition', attachment(file, list === 'rows' ? 'check.csv' : 'check-groups.csv'));
      reply.header('cache-control', 'private, no-cache').header('accept-ranges', 'none');
      return reply.send(createReadStream(path));
    });
  }
}

function noCheck(id: string): Problem {
  return new Problem('NO_CHECK_YET', `Import ${id} has no check that is done.`);
}

/** @throws Problem NO_CHECK_YET */
async function viewOf(checks: Checks, dir: DataDir, id: string): Promise<CheckView> {
  const view = await checkView(dir, id, checks);
  if (view === undefined) throw noCheck(id);
  return view;
}
