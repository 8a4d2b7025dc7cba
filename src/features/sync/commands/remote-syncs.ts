import { text } from 'node:stream/consumers';
import type { Imports } from '../../../cli/target/imports.ts';
import { entriesOf } from '../../../cli/target/pages.ts';
import type { Server } from '../../../cli/target/server-client.ts';
import type { SyncView } from '../api.ts';
import type { Finding } from '../api-plan.ts';
import { syncOperations } from '../operations.ts';
import { type Syncs, shownSync } from './syncs.ts';

/** Entries that a page of the server's lists holds at most. */
const MAX_OF_PAGE = { syncs: 200, findings: 500 };

/** The syncs of a server. */
export function remoteSyncs(server: Server, imports: Imports): Syncs {
  const view = (id: string) => server.call(syncOperations.one, { id });
  // A server knows by itself whether it sends to a sandbox.
  const shown = (sync: SyncView) => shownSync(sync, false, sync.before && `${server.url}${sync.before}`);
  return {
    imports,
    place: `at ${server.url}`,
    list: (limit) =>
      entriesOf(
        async (size, cursor) => {
          const page = await server.call(syncOperations.list, { limit: `${size}`, cursor });
          return { ...page, entries: page.syncs };
        },
        MAX_OF_PAGE.syncs,
        limit,
      ),
    find: async (id) => shown(await view(id)),
    findings: async (id) => {
      const { findings, guards } = await view(id);
      // The view has the first; as long as these are all, nothing more is asked.
      if (guards.reduce((sum, { count }) => sum + count, 0) === findings.length) return findings;
      return (await Promise.all(guards.map(({ guard }) => findingsOf(server, id, guard)))).flat();
    },
    planText: async (id, { color, width }) => {
      if ((await view(id)).totals === null) return undefined;
      return text(
        await server.download(syncOperations.plan, { id, format: 'text', width, color: color ? 'true' : 'false' }),
      );
    },
    plan: (id, format) => server.download(syncOperations.plan, { id, format }),
  };
}

function findingsOf(server: Server, id: string, guard: Finding['guard']): Promise<Finding[]> {
  return entriesOf(async (size, cursor) => {
    const page = await server.call(syncOperations.findings, { id, guard, limit: `${size}`, cursor });
    return { ...page, entries: page.findings.map(({ members: _, ...finding }) => finding) };
  }, MAX_OF_PAGE.findings);
}
