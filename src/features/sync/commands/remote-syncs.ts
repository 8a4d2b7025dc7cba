import { text } from 'node:stream/consumers';
import type { Imports } from '../../../cli/target/imports.ts';
import type { Server } from '../../../cli/target/server-client.ts';
import {
  type FindingsPage,
  findingsPage,
  type SyncEntry,
  type SyncsPage,
  type SyncView,
  syncsPage,
  syncView,
} from '../api.ts';
import type { Finding } from '../api-plan.ts';
import { type KeptSync, type Syncs, syncAddress } from './syncs.ts';

/** Entries that a page of the server's lists holds at most. */
const MOST_OF_PAGE = { syncs: 200, findings: 500 };

/** The syncs of a server. */
export function remoteSyncs(server: Server, imports: Imports): Syncs {
  const view = (id: string) => server.get(syncAddress(id), syncView);
  return {
    imports,
    place: `at ${server.url}`,
    list: async (limit) => {
      const found: SyncEntry[] = [];
      let cursor: string | null = '';
      while (cursor !== null && found.length < limit) {
        const size = Math.min(MOST_OF_PAGE.syncs, limit - found.length);
        const page: SyncsPage = await server.get(`/v1/syncs?limit=${size}${after(cursor)}`, syncsPage);
        found.push(...page.syncs);
        cursor = page.nextCursor;
      }
      return found;
    },
    find: async (id) => keptSync(server, await view(id)),
    findings: async (id) => {
      const { findings, guards } = await view(id);
      // The view has the first; as long as these are all, nothing more is asked.
      if (guards.reduce((sum, { count }) => sum + count, 0) === findings.length) return findings;
      return (await Promise.all(guards.map(({ guard }) => findingsOf(server, id, guard)))).flat();
    },
    planText: async (id, { color, width }) => {
      if ((await view(id)).totals === null) return undefined;
      return text(await server.download(`${syncAddress(id)}/plan?format=text&width=${width}&color=${color}`));
    },
    plan: (id, format) => server.download(`${syncAddress(id)}/plan?format=${format}`),
  };
}

/** A server knows by itself whether it sends to a sandbox. */
export function keptSync({ url }: Server, view: SyncView): KeptSync {
  const unknownGroups = view.create?.groups === true ? 0 : view.unknownGroups;
  return { ...view, sandbox: false, unknownGroups, before: view.before && `${url}${view.before}` };
}

async function findingsOf(server: Server, id: string, guard: string): Promise<Finding[]> {
  const found: Finding[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const query: string = `guard=${encodeURIComponent(guard)}&limit=${MOST_OF_PAGE.findings}${after(cursor)}`;
    const page: FindingsPage = await server.get(`${syncAddress(id)}/findings?${query}`, findingsPage);
    found.push(...page.findings.map(({ members: _, ...finding }) => finding));
    cursor = page.nextCursor;
  }
  return found;
}

function after(cursor: string): string {
  return cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
}
