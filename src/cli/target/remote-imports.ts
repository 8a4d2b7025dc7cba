import type { ImportSummary } from '../../api/import-summary.ts';
import { type ImportView, summaryIn } from '../../api/imports.ts';
import { importOperations } from '../../api/operations/import-operations.ts';
import { rowOperations } from '../../api/operations/row-operations.ts';
import { serviceOperations } from '../../api/operations/service-operations.ts';
import type { RegionStatus } from '../../api/region-status.ts';
import type { Settings } from '../../api/service.ts';
import { rowFilterOptions } from '../../imports/report/found-rows.ts';
import type { ReportRequest } from '../../imports/report/report-files.ts';
import { type Target, targetText } from '../../imports/target.ts';
import { isUnderWay } from '../../membership/import-state.ts';
import type { Region } from '../../membership/membership.ts';
import { sumOfOutcomes } from '../../membership/outcome.ts';
import { textsOf } from '../../options/option.ts';
import { ANSWERING } from '../../options/sending-options.ts';
import { type Io, say } from '../screen/io.ts';
import { NoImports } from './kept-imports.ts';
import { present } from './local-imports.ts';
import { entriesOf } from './operation-client.ts';
import type { Server } from './server-client.ts';
import { ServerRefused } from './server-errors.ts';
import type { Imports, KeptImport } from './target-imports.ts';

/** Imports that a page of the server's list holds at most. */
const MAX_OF_PAGE = 200;
/** Time that a server may be away while a command watches, in ms: it may be restarting. */
export const PATIENCE_MS = 120_000;

/**
 * The imports of a server.
 * @param command what the user types before a verb  @param flag what follows it, such as ` --server http://…`
 */
export function remoteImports(server: Server, command: string, flag: string): Imports {
  const one = (id: string) => server.call(importOperations.one, { id });
  return {
    server,
    unattended: true,
    place: () => at(server),
    saySendsTo: (io) => sayServerSendsTo(io, server),
    list: async (limit, texts = {}) => {
      const page = async (size: number, cursor?: string) => {
        const { imports, nextCursor } = await server.call(importOperations.list, {
          ...texts,
          limit: `${size}`,
          cursor,
        });
        return { entries: imports, nextCursor };
      };
      const found = await entriesOf(page, MAX_OF_PAGE, limit);
      if (found.length === 0 && Object.keys(texts).length === 0) throw noImports(server);
      return found.map((view) => {
        const { createdAt, createdBy, kind, tags } = view;
        return { ...summaryOf(server, view), createdAt, createdBy, kind, tags };
      });
    },
    find: async (id) => {
      if (id !== undefined) return kept(await one(id));
      const [latest] = (await server.call(importOperations.list, { limit: '1' })).imports;
      if (latest === undefined) throw noImports(server);
      return kept(latest);
    },
    findings: async ({ id }) => {
      const [view, asked] = await Promise.all([
        one(id),
        unless('NO_ROWS_YET', server.call(rowOperations.problems, { id })),
      ]);
      return { summary: summaryOf(server, view), problems: asked?.problems ?? [] };
    },
    regions: () => regionsOf(server),
    act: (id, verb, changes = {}) => {
      const texts = Object.fromEntries(textsOf(ANSWERING, changes));
      return verb === 'resume'
        ? server.call(importOperations.resume, { id, ...texts })
        : server.call(importOperations[verb], { id });
    },
    tag: async (id, changes) => {
      const answer = await server.call(importOperations.act, { action: 'tag', ids: [id], tags: changes });
      const [result] = answer.results;
      const problem = result?.problem;
      if (problem !== undefined) {
        throw ServerRefused.inSentences(problem.code, problem.detail, problem.remedy);
      }
      return one(id);
    },
    watch: (id) => ({
      look: async () => {
        const [view, statuses] = await Promise.all([one(id), regionsOf(server)]);
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
    report: ({ id }, request) => server.download(rowOperations.report, { id, ...reportQuery(request) }),
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

const at = ({ url }: Server) => `at ${url}`;

function noImports(server: Server): NoImports {
  return new NoImports(at(server), 'server with --server');
}

/** A server knows by itself whether it sends to a sandbox. */
function kept({ id, state, reason, code, maxCreate, maxRemovals, fileOfChanges, delivery }: ImportView): KeptImport {
  return {
    ...{ id, state, reason, code: code ?? null, sandbox: false, maxCreate, maxRemovals },
    fileOfChanges: fileOfChanges === true,
    delivery,
  };
}

/** Returns the `--json` output: the same as for an import on this machine, except that reports are addresses. */
function summaryOf({ url }: Server, view: ImportView): ImportSummary {
  const summary = summaryIn(view);
  const { all, failed, retry } = summary.reports;
  const whole = (path: string | null) => path && `${url}${path}`;
  return { ...summary, reports: { all: whole(all), failed: whole(failed), retry: whole(retry) } };
}

/** Returns counters like the ledger's: rows without an outcome are unprocessed. */
function countersOf({ state, regions }: ImportView) {
  return new Map(
    Object.entries(regions).map(([region, counts]) => {
      const left = isUnderWay(state) ? counts.rows.read - sumOfOutcomes(counts.rows) : counts.rows.unprocessed;
      return [region as Region, { ...counts, rows: { ...counts.rows, unprocessed: left } }] as const;
    }),
  );
}

function reportQuery({ form, filter = {} }: Pick<ReportRequest, 'form' | 'filter'>) {
  const which = form === 'retry' ? { retryable: 'true' as const } : { format: form };
  return { ...which, ...rowFilterOptions(filter) };
}

/** An answer; undefined where it is refused with this code. */
export async function unless<Answer>(code: string, answer: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof ServerRefused && error.code === code) return undefined;
    throw error;
  }
}

/** Fetches the status of a server's regions. */
export async function regionsOf(server: Server): Promise<readonly RegionStatus[]> {
  return (await server.call(serviceOperations.regions, {})).regions;
}

/** Says where a server sends. One that does not say it may still be asked for more. */
async function sayServerSendsTo(io: Io, server: Server): Promise<void> {
  const settings = await server.call(serviceOperations.settings, {}).catch((error: unknown) => {
    if (error instanceof ServerRefused) return undefined;
    throw error;
  });
  if (settings === undefined) return;
  const text = settings.sandbox ? 'a sandbox' : targetText(targetOf(settings));
  say(io, `The server at ${server.url} sends to ${text}.`);
}

function targetOf({ profile, host, apps }: Pick<Settings, 'profile' | 'host' | 'apps'>): Target {
  const ids = Object.entries(apps).map(([region, { appId }]) => [region, appId]);
  return { profile: profile ?? undefined, host, apps: Object.fromEntries(ids) };
}
