/** What can be done with exactly the rows that are shown: how many they are, then retry, download, copy. */
import { useEffect } from 'preact/hooks';
import { useAnswer } from '../../answer.js';
import { importPath, query, request } from '../../api.js';
import { reportCommand } from '../../command-line.js';
import { CopyButton } from '../../copy.js';
import { confirmed } from '../../dialog.js';
import { h, importHref, repairHref } from '../../element.js';
import { counted, grouped } from '../../format.js';
import { ErrorPlace } from '../../notice.js';
import { usePlace } from '../../place.js';
import { RETRYABLE } from '../../words.js';
import { useWork, WorkButton } from '../../work.js';
import { rowsAsText } from './row-columns.js';

/** @import { ImportView, RowsPage, RowView } from '../../answers.d.ts' */
/** @import { LiveImport } from './live-import.js' */
/** @import { RowsWanted } from './rows-wanted.js' */

/** Rows that are copied at most: a clipboard is no file. */
const MAX_COPIED = 1000;

/** @param {{ id: string, live: LiveImport, filter: RowsWanted, total: number | null }} properties `total`: rows that pass the filter */
export function RowsActions({ id, live, filter, total }) {
  const { isOperator, go } = usePlace();
  const work = useWork();
  const view = live.view.value;
  const chosen = filter.filter;
  const mayRetry = isOperator && filter.isSet && view?.actions.includes('retry') === true;
  const again = useRetryable(id, mayRetry ? chosen : null, live.turns.value);
  if (view === undefined || total === null || total === 0) return null;
  const rows = filter.isSet ? `these ${counted(total, 'row')}` : `all ${counted(total, 'row')}`;
  const report = (/** @type {string} */ format) => importPath(id, `/report${query({ format, ...chosen })}`);
  const retry = async () => {
    const others = total - (again ?? 0);
    const yes = await confirmed({
      question: `Retry ${counted(again ?? 0, 'row')}?`,
      explanation: `A new import sends ${again === 1 ? 'it' : 'them'} again${others > 0 ? `; the other ${counted(others, 'row')} of this filter cannot be retried` : ''}. The rest of this import can still be retried later.`,
      yes: `Retry ${counted(again ?? 0, 'row')}`,
      no: 'Not now',
      tone: 'main',
    });
    if (!yes) return;
    await work.start(async (signal) => {
      /** @type {ImportView} */
      const made = await request(importPath(id, `/retry${query(chosen)}`), { method: 'POST', signal });
      go(importHref(made.id));
    });
  };
  return h(
    'div',
    { class: 'rows-actions', role: 'group', 'aria-label': `Actions for ${rows}` },
    h(
      'div',
      { class: 'links' },
      again !== null &&
        again > 0 &&
        h(WorkButton, { busy: work.busy, onClick: () => void retry() }, `Retry ${counted(again, 'row')}…`),
      isOperator &&
        view.finishedAt !== null &&
        canBeRepaired(chosen) &&
        h('a', { href: `${repairHref(id)}${query(chosen)}` }, `Repair ${counted(total, 'row')}`),
      h('span', { class: 'soft' }, 'Download'),
      ['csv', 'xlsx', 'ndjson', 'json'].map((format) =>
        h(
          'a',
          {
            key: format,
            href: report(format),
            download: true,
            'aria-label': `Download ${rows} as ${format.toUpperCase()}`,
          },
          format.toUpperCase(),
        ),
      ),
      h(CopyButton, {
        text: () => textOf(id, filter),
        label: total > MAX_COPIED ? `Copy the first ${grouped(MAX_COPIED)} rows` : `Copy ${counted(total, 'row')}`,
        what: 'as a table',
      }),
      h(CopyButton, {
        text: reportCommand(id, location.origin, chosen),
        label: 'Copy command',
        what: 'that reports these rows',
      }),
    ),
    h(ErrorPlace, { error: work.error }),
  );
}

/** Whether the page on which rows are repaired can choose the same ones. @param {Readonly<Record<string, string>>} chosen */
function canBeRepaired({ status, code: _, ...others }) {
  return Object.keys(others).length === 0 && (status === 'invalid' || status === 'failed');
}

/**
 * How many of the rows can be retried; null while no one knows.
 * @param {string} id
 * @param {Readonly<Record<string, string>> | null} chosen null: it is not asked
 * @param {number} turns
 * @returns {number | null}
 */
function useRetryable(id, chosen, turns) {
  const wanted = chosen?.['status']?.split(',') ?? RETRYABLE;
  const status = RETRYABLE.filter((outcome) => wanted.includes(outcome)).join(',');
  const path =
    chosen === null || status === '' ? null : importPath(id, `/rows${query({ ...chosen, status, limit: 1 })}`);
  /** @type {import('../../answer.js').Answer<RowsPage>} */
  const { data, reload } = useAnswer(path);
  useEffect(() => void reload(), [turns]);
  return path === null ? null : (data?.total ?? null);
}

/** @param {string} id @param {RowsWanted} filter */
async function textOf(id, filter) {
  /** @type {{ rows: RowView[], nextCursor: string | null }} */
  let page = { rows: [], nextCursor: null };
  /** @type {RowView[]} */
  const rows = [];
  do {
    const cursor = page.nextCursor;
    page = await request(
      importPath(id, `/rows${query({ ...filter.wanted.peek(), limit: MAX_COPIED - rows.length, cursor })}`),
    );
    rows.push(...page.rows);
  } while (page.nextCursor !== null && rows.length < MAX_COPIED);
  return rowsAsText(rows);
}
