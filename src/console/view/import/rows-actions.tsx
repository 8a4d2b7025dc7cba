/** The actions for exactly the rows that are shown: their number, then retry, download, copy. */
import { useEffect } from 'preact/hooks';
import { useAnswer } from '../../answer.ts';
import type { RowsPage, RowView } from '../../answers.ts';
import { call, importPath, query } from '../../api.ts';
import { reportCommand } from '../../command-line.ts';
import { CopyButton } from '../../copy.tsx';
import { confirmed } from '../../dialog.tsx';
import { importHref, repairHref } from '../../element.tsx';
import { counted, grouped } from '../../format.ts';
import { ErrorPlace } from '../../notice.tsx';
import { usePlace } from '../../place.ts';
import { RETRYABLE } from '../../words.ts';
import { useWork, WorkButton } from '../../work.tsx';
import { SendsToHere } from './before-sending.tsx';
import type { LiveImport } from './live-import.ts';
import { rowsAsText } from './row-columns.tsx';
import type { RowsWanted } from './rows-wanted.ts';

/** Rows that are copied at most: a clipboard is no file. */
const MAX_COPIED = 1000;

interface RowsActionsProperties {
  id: string;
  live: LiveImport;
  filter: RowsWanted;
  /** Rows that pass the filter. */
  total: number | null;
}

export function RowsActions({ id, live, filter, total }: RowsActionsProperties) {
  const { isOperator, go } = usePlace();
  const work = useWork();
  const view = live.view.value;
  const chosen = filter.filter;
  const mayRetry = isOperator && filter.isSet && view?.actions.includes('retry') === true;
  const again = useRetryable(id, mayRetry ? chosen : null, live.turns.value);
  if (view === undefined || total === null || total === 0) return null;
  const rows = filter.isSet ? `these ${counted(total, 'row')}` : `all ${counted(total, 'row')}`;
  const report = (format: string) => importPath(id, `/report${query({ format, ...chosen })}`);
  const retry = async () => {
    const others = total - (again ?? 0);
    const yes = await confirmed({
      question: `Retry ${counted(again ?? 0, 'row')}?`,
      explanation: (
        <>
          A new import sends {again === 1 ? 'it' : 'them'} again
          {others > 0 && `; the other ${counted(others, 'row')} of this filter cannot be retried`}. The rest of this
          import can still be retried later.
          <SendsToHere />
        </>
      ),
      yes: `Retry ${counted(again ?? 0, 'row')}`,
      no: 'Not now',
      tone: 'main',
    });
    if (!yes) return;
    await work.start(async (signal) => {
      const made = await call('POST /v1/imports/:id/retry', { id, query: chosen }, signal);
      go(importHref(made.id));
    });
  };
  return (
    <div class="rows-actions" role="group" aria-label={`Actions for ${rows}`}>
      <div class="links">
        {again !== null && again > 0 && (
          <WorkButton busy={work.busy} onClick={() => void retry()}>
            Retry {counted(again, 'row')}…
          </WorkButton>
        )}
        {isOperator && view.finishedAt !== null && canBeRepaired(chosen) && (
          <a href={`${repairHref(id)}${query(chosen)}`}>Repair {counted(total, 'row')}</a>
        )}
        <span class="soft">Download</span>
        {['csv', 'xlsx', 'ndjson', 'json'].map((format) => (
          <a key={format} href={report(format)} download aria-label={`Download ${rows} as ${format.toUpperCase()}`}>
            {format.toUpperCase()}
          </a>
        ))}
        <CopyButton
          text={() => textOf(id, filter)}
          label={total > MAX_COPIED ? `Copy the first ${grouped(MAX_COPIED)} rows` : `Copy ${counted(total, 'row')}`}
          what="as a table"
        />
        <CopyButton
          text={reportCommand(id, location.origin, chosen)}
          label="Copy command"
          what="that reports these rows"
        />
      </div>
      <ErrorPlace error={work.error} />
    </div>
  );
}

/** Whether the page on which rows are repaired can choose the same ones. */
function canBeRepaired({ status, code: _, ...others }: Readonly<Record<string, string>>) {
  return Object.keys(others).length === 0 && (status === 'invalid' || status === 'failed');
}

/**
 * Returns the number of the rows that can be retried; null while no one knows.
 * @param chosen null: it is not asked
 */
function useRetryable(id: string, chosen: Readonly<Record<string, string>> | null, turns: number): number | null {
  const wanted = chosen?.['status']?.split(',') ?? RETRYABLE;
  const status = RETRYABLE.filter((outcome) => wanted.includes(outcome)).join(',');
  const path =
    chosen === null || status === '' ? null : importPath(id, `/rows${query({ ...chosen, status, limit: 1 })}`);
  const { data, reload } = useAnswer<RowsPage>(path);
  useEffect(() => void reload(), [turns]);
  return path === null ? null : (data?.total ?? null);
}

async function textOf(id: string, filter: RowsWanted) {
  let page: { rows: RowView[]; nextCursor: string | null } = { rows: [], nextCursor: null };
  const rows: RowView[] = [];
  do {
    const cursor = page.nextCursor;
    const asked = { ...filter.wanted.peek(), limit: MAX_COPIED - rows.length, cursor };
    page = await call('GET /v1/imports/:id/rows', { id, query: asked });
    rows.push(...page.rows);
  } while (page.nextCursor !== null && rows.length < MAX_COPIED);
  return rowsAsText(rows);
}
