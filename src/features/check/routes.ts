import { createReadStream, existsSync } from 'node:fs';
import type { HandlersOf } from '../../api/operation.ts';
import { checkFiles } from '../../imports/predictions/row-check.ts';
import { DEFAULT_MAX_CALLS } from '../../options/sending-options.ts';
import type { Api, ServerContext } from '../../server/context.ts';
import { attachment, sendFile } from '../../server/http-answers.ts';
import { type ServedBy, serveAll } from '../../server/serve.ts';
import { inShort } from '../../text/wording.ts';
import { checkIn, checkOf, noCheck } from './check-view.ts';
import { checkOperations } from './operations.ts';

export function checkRoutes(app: Api, context: ServerContext) {
  const { coordinator, dir, checks } = context;
  app.addHook('preClose', () => checks.works.stop());
  coordinator.events.on('removed', (id) => void checks.works.end(id, 'its import was removed'));
  const download =
    (list: 'rows' | 'groups', name: string): Required<ServedBy<typeof checkOperations>>['rows'] =>
    async ({ id }, { reply }) => {
      const { file } = coordinator.find(id);
      const path = checkFiles(dir.folder(id))[list];
      if (checkOf(dir.folder(id))?.state !== 'done' || !existsSync(path)) throw noCheck(id);
      return sendFile(reply, 'csv', attachment(file, name), createReadStream(path));
    };
  serveAll(app, checkOperations, {
    ...checkHandlers(context),
    rows: download('rows', 'check.csv'),
    groups: download('groups', 'check-groups.csv'),
  });
}

/** Checks, in any process that makes them. */
export function checkHandlers({ coordinator, dir, checks }: Pick<ServerContext, 'coordinator' | 'dir' | 'checks'>) {
  return {
    begin: async ({ id, maxCalls = DEFAULT_MAX_CALLS }, { audited }) => {
      void checks.start(id, maxCalls);
      audited(inShort({ maxCalls }));
      return checkIn(dir, id, checks.works);
    },
    one: async ({ id }) => {
      coordinator.find(id);
      return checkIn(dir, id, checks.works);
    },
  } satisfies HandlersOf<typeof checkOperations>;
}
