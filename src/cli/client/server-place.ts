import type { ImportView } from '../../api/imports.ts';
import { importOperations } from '../../api/operations/import-operations.ts';
import { rowOperations } from '../../api/operations/row-operations.ts';
import { serviceOperations } from '../../api/operations/service-operations.ts';
import { rowFilterOptions } from '../../imports/report/found-rows.ts';
import { targetText } from '../../imports/target.ts';
import { textsOf } from '../../options/option.ts';
import { ANSWERING } from '../../options/sending-options.ts';
import { type Io, say } from '../screen/io.ts';
import type { Place } from './import-place.ts';
import { entriesOf, unless } from './operation-client.ts';
import { remedyFor, type Server } from './server-client.ts';
import { ServerRefused } from './server-errors.ts';

/** Imports that a page of the list holds at most. */
const MAX_OF_PAGE = 200;

/**
 * A server's imports.
 * @param flag what follows a command, such as ` --server http://…`
 */
export function serverPlace(server: Server, flag: string): Place {
  const shown = (view: ImportView): ImportView => {
    const { all, failed, retry, created } = view.reports;
    const whole = (path: string | null) => path && `${server.url}${path}`;
    // The server knows by itself whether it sends to a sandbox.
    const reports = { all: whole(all), failed: whole(failed), retry: whole(retry), created: whole(created) };
    return { ...view, reports, sandbox: false };
  };
  return {
    server,
    place: () => `at ${server.url}`,
    command: (...words) => `${['rollcall', ...words].join(' ')}${flag}`,
    folder: (id) => `imports/${id} in the data directory of ${server.url}`,
    files: ({ id, reports: { all, failed, retry, created } }) => [
      ['every row', all],
      ['to look at', all === null ? null : `${server.url}/imports/${encodeURIComponent(id)}`],
      ['needs attention', failed],
      ['to import again', retry],
      ['created', created],
    ],
    saySendsTo: (io) => saySendsTo(io, server),
    newest: async (limit, filter) => {
      const page = async (size: number, cursor?: string) => {
        const answer = await server.call(importOperations.list, { ...filter, limit: `${size}`, cursor });
        return { entries: answer.imports, nextCursor: answer.nextCursor };
      };
      return (await entriesOf(page, MAX_OF_PAGE, limit)).map(shown);
    },
    one: async (id) => shown(await server.call(importOperations.one, { id })),
    problems: async (id) => {
      const answer = await unless('NO_ROWS_YET', server.call(rowOperations.problems, { id }));
      return answer?.problems ?? [];
    },
    report: (id, { form, filter = {} }) => {
      const which = form === 'retry' ? { retryable: 'true' as const } : { format: form };
      return server.download(rowOperations.report, { id, ...which, ...rowFilterOptions(filter) });
    },
    tag: async (id, changes) => {
      const { results } = await server.call(importOperations.act, { action: 'tag', ids: [id], tags: changes });
      const problem = results[0]?.problem;
      if (problem !== undefined)
        throw ServerRefused.inSentences(problem.code, problem.detail, remedyFor(problem.code, problem.remedy));
    },
    regions: async () => (await server.call(serviceOperations.regions, {})).regions,
    act: (id, verb, changes = {}) =>
      verb === 'resume'
        ? server.call(importOperations.resume, { id, ...Object.fromEntries(textsOf(ANSWERING, changes)) })
        : server.call(importOperations[verb], { id }),
  };
}

/** Says where a server sends. One that does not say it may still be asked for more. */
async function saySendsTo(io: Io, server: Server): Promise<void> {
  const settings = await server.call(serviceOperations.settings, {}).catch((error: unknown) => {
    if (error instanceof ServerRefused) return undefined;
    throw error;
  });
  if (settings === undefined) return;
  const { sandbox, profile, host, apps } = settings;
  const ids = Object.fromEntries(Object.entries(apps).map(([region, { appId }]) => [region, appId]));
  const text = sandbox ? 'a sandbox' : targetText({ profile: profile ?? undefined, host, apps: ids });
  say(io, `The server at ${server.url} sends to ${text}.`);
}
