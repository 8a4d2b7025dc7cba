import type { ImportView, importOperations, ReportQuery } from '../api/imports.ts';
import type { HandlersOf } from '../api/operation.ts';
import type { ProblemCount, ProblemView } from '../api/rows.ts';
import { asParameter } from '../errors/named-options.ts';
import { RollcallError } from '../errors/rollcall-error.ts';
import type { CatalogReader, ImportRecord, Transition } from '../imports/catalog.ts';
import type { ReportRequest } from '../imports/report/report-files.ts';
import { adviceFor } from '../imports/report/verdict.ts';
import { RETRYABLE } from '../membership/outcome.ts';
import type { RowFilter } from '../options/row-filter.ts';
import { defined } from '../platform/defined.ts';
import { isoTime } from '../text/wording.ts';

/** The catalog that imports are read from: a server's, or that of a data directory that another process may own. */
interface Reading extends Pick<CatalogReader, 'page'> {
  readonly transitions: (id: string) => readonly Transition[];
  /** @throws UnknownImport */
  readonly find: (id: string) => ImportRecord;
  readonly view: (record: ImportRecord) => Promise<ImportView>;
}

export function importReading({ page, find, view, transitions }: Reading): HandlersOf<typeof importOperations> {
  return {
    list: async ({ limit, cursor, ...filter }) => {
      const { imports, next } = page({ limit, ...filter, ...(cursor !== undefined && { before: cursor }) });
      return { imports: await Promise.all(imports.map(view)), nextCursor: next ?? null };
    },
    one: async ({ id }) => view(find(id)),
    journal: async ({ id }) => {
      find(id);
      return { transitions: transitions(id).map(({ at, ...move }) => ({ at: isoTime(at), ...move })) };
    },
  };
}

export interface WantedReport {
  readonly form: Exclude<ReportRequest['form'], 'created'>;
  readonly filter: RowFilter;
}

/** @param corrected what was done about them */
export function problemViews(
  problems: readonly ProblemCount[],
  corrected: (problem: ProblemCount) => Pick<ProblemView, 'corrected'>,
): ProblemView[] {
  return problems.map((problem) => ({
    ...problem,
    ...corrected(problem),
    retryable: RETRYABLE.has(problem.status),
    advice: adviceFor(problem.status, problem.code, asParameter),
  }));
}

/** @throws BAD_OPTION where options contradict each other */
export function wantedBy({ format, retryable, ...filter }: ReportQuery): WantedReport {
  if (retryable) {
    if (format !== undefined) {
      throw new RollcallError('BAD_OPTION', {
        what: 'format cannot be given together with retryable, which says it.',
        field: 'format',
      });
    }
    return { form: 'retry', filter };
  }
  const [field] = Object.keys(defined(filter));
  if (format === 'html' && field !== undefined) {
    const what = `${field} cannot be given for html, which shows the whole import.`;
    throw new RollcallError('BAD_OPTION', { what, field });
  }
  return { form: format ?? 'csv', filter };
}
