import { checkView } from '../../api/checks.ts';
import { createdView } from '../../api/created.ts';
import type { ImportSummary } from '../../api/import-summary.ts';
import {
  bulkAnswer,
  type ImportsPage,
  type ImportView,
  importsPage,
  importView,
  summaryIn,
} from '../../api/imports.ts';
import { type RegionStatus, regionsAnswer } from '../../api/regions.ts';
import { problemsAnswer } from '../../api/rows.ts';
import type { ReportRequest } from '../../imports/report/report-text.ts';
import { rowFilterOptions } from '../../imports/report/row-filter.ts';
import { isUnderWay } from '../../membership/import-state.ts';
import type { Region } from '../../membership/membership.ts';
import { sumOfOutcomes } from '../../membership/outcome.ts';
import { BAN_CHECK } from '../../options/ban-options.ts';
import { MAX_CREATE } from '../../options/create-options.ts';
import { textsOf } from '../../options/option.ts';
import { LEAVING_OUT, REMOVING } from '../../options/sending-options.ts';
import { NoImports } from './data.ts';
import { type Imports, importAddress, type KeptImport, type ListedImport } from './imports.ts';
import { present } from './local-imports.ts';
import type { Server } from './server-client.ts';
import { ServerRefused } from './server-errors.ts';

/** Imports that a page of the server's list holds at most. */
const MOST_OF_PAGE = 200;
/** How long a server may be away while a command watches, in ms: it may be restarting. */
export const PATIENCE_MS = 120_000;

/**
 * The imports of a server.
 * @param command what the user types before a verb  @param flag what follows it, such as ` --server http://…`
 */
export function remoteImports(server: Server, command: string, flag: string): Imports {
  const one = (id: string) => server.get(importAddress(id), importView);
  return {
    server,
    list: async (limit, texts = {}) => {
      const found: ListedImport[] = [];
      const filter = new URLSearchParams(texts).toString();
      let cursor: string | null = '';
      while (cursor !== null && found.length < limit) {
        const size = Math.min(MOST_OF_PAGE, limit - found.length);
        const query: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
        const path = `/v1/imports?limit=${size}${query}${filter === '' ? '' : `&${filter}`}`;
        const { imports, nextCursor }: ImportsPage = await server.get(path, importsPage);
        found.push(
          ...imports.map((view) => {
            const { createdAt, createdBy, kind, tags } = view;
            return { ...summaryOf(server, view), createdAt, createdBy, kind, tags };
          }),
        );
        cursor = nextCursor;
      }
      if (found.length === 0 && filter === '') throw noImports(server);
      return found;
    },
    find: async (id) => {
      if (id !== undefined) return kept(await one(id));
      const [latest] = (await server.get('/v1/imports?limit=1', importsPage)).imports;
      if (latest === undefined) throw noImports(server);
      return kept(latest);
    },
    findings: async ({ id }) => {
      const [view, { problems }] = await Promise.all([
        one(id),
        server.get(`${importAddress(id)}/problems`, problemsAnswer).catch((error: unknown) => {
          if (error instanceof ServerRefused && error.code === 'NO_ROWS_YET') return { problems: [] };
          throw error;
        }),
      ]);
      return { summary: summaryOf(server, view), problems };
    },
    check: async (id) => {
      const address = `${importAddress(id)}/check`;
      const record = await server.get(address, checkView).catch((error: unknown) => {
        if (error instanceof ServerRefused && error.code === 'NO_CHECK_YET') return undefined;
        throw error;
      });
      if (record === undefined) return undefined;
      const { summary, underWay } = record;
      const files = ['rows', 'groups'].map((list) => `${server.url}${address}/${list}`);
      return { record, summary: summary ?? undefined, files, underWay };
    },
    created: async (id) => (await server.get(`${importAddress(id)}/created`, createdView)).things,
    regions: () => regionsThere(server),
    act: (id, verb, changes = {}) => {
      const query = new URLSearchParams(textsOf({ ...MAX_CREATE, ...REMOVING, ...BAN_CHECK, ...LEAVING_OUT }, changes));
      return server.post(`${importAddress(id)}/${verb}${query.size === 0 ? '' : `?${query}`}`);
    },
    tag: async (id, changes) => {
      const body = { action: 'tag', ids: [id], tags: changes };
      const [result] = (await server.begin('/v1/imports/actions', bulkAnswer, body)).results;
      const problem = result?.problem;
      if (problem !== undefined) {
        throw ServerRefused.inSentences(problem.code, problem.detail, problem.remedy);
      }
      return one(id);
    },
    watch: (id) => ({
      look: async () => {
        const [view, statuses] = await Promise.all([one(id), regionsThere(server)]);
        const { state, staging } = view;
        return {
          state,
          counters: state === 'staging' ? undefined : countersOf(view),
          writes: view.writes,
          staging: staging === null ? undefined : { ...staging, totalBytes: staging.totalBytes ?? undefined },
          regions: statuses,
        };
      },
      patienceMs: PATIENCE_MS,
      close: () => {},
    }),
    report: ({ id }, request) => server.download(`${importAddress(id)}/report?${reportQuery(request)}`),
    command: (...words) => `${[command, ...words].join(' ')}${flag}`,
    folder: (id) => `imports/${id} in the data directory of ${server.url}`,
    files: ({ id, reports }) =>
      present([
        ['every row', reports.all],
        ['to look at', reports.all === null ? null : `${server.url}/imports/${encodeURIComponent(id)}`],
        ['needs attention', reports.failed],
        ['to import again', reports.retry],
      ]),
  };
}

function noImports({ url }: Server): NoImports {
  return new NoImports(`at ${url}`, 'server with --server');
}

/** A server knows by itself whether it sends to a sandbox. */
function kept({ id, state, reason, code, maxCreate, maxRemovals, fileOfChanges }: ImportView): KeptImport {
  return {
    ...{ id, state, reason, code: code ?? null, sandbox: false, maxCreate, maxRemovals },
    fileOfChanges: fileOfChanges === true,
  };
}

/** What `--json` prints: the same as for an import on this machine, except that reports are addresses. */
function summaryOf({ url }: Server, view: ImportView): ImportSummary {
  const summary = summaryIn(view);
  const { all, failed, retry } = summary.reports;
  const whole = (path: string | null) => path && `${url}${path}`;
  return { ...summary, reports: { all: whole(all), failed: whole(failed), retry: whole(retry) } };
}

/** As the ledger counts: what has no outcome yet is unprocessed. */
function countersOf({ state, regions }: ImportView) {
  return new Map(
    Object.entries(regions).map(([region, counts]) => {
      const left = isUnderWay(state) ? counts.rows.read - sumOfOutcomes(counts.rows) : counts.rows.unprocessed;
      return [region as Region, { ...counts, rows: { ...counts.rows, unprocessed: left } }] as const;
    }),
  );
}

function reportQuery({ form, filter = {} }: Pick<ReportRequest, 'form' | 'filter'>): URLSearchParams {
  const which: Record<string, string> = form === 'retry' ? { retryable: 'true' } : { format: form };
  return new URLSearchParams({ ...which, ...rowFilterOptions(filter) });
}

/** What the regions of a server are doing. */
export async function regionsThere(server: Server): Promise<readonly RegionStatus[]> {
  return (await server.get('/v1/regions', regionsAnswer)).regions;
}
