/** The rows of an import: filtered, sorted, a page at a time; and the actions for exactly the rows that are shown. */

import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import { RowsToCorrect } from '../../../features/correct/pages/rows-to-correct.tsx';
import { VERDICT_LABELS, type Verdict } from '../../../membership/check-words.ts';
import { RETRYABLE, sumOfOutcomes } from '../../../membership/outcome.ts';
import { counted, grouped } from '../../../text/wording.ts';
import type { RowView } from '../../answers.ts';
import { messageWords, outcomeNow } from '../../import-words.ts';
import { type ActionButton, Actions, Menu } from '../../kit/actions.tsx';
import { Coded, foreign, importHref, memberHref, OutcomeMark } from '../../kit/elements.tsx';
import { FilterBar } from '../../kit/filter.tsx';
import { type Column, List } from '../../kit/list.tsx';
import { isNarrow, usePlace } from '../../place.ts';
import { addressOf, call } from '../../requests.ts';
import { type Pages, useAnswer, useChange, usePages } from '../../use-answer.ts';
import { TargetOfServer } from './before-sending.tsx';
import { linksOf } from './downloads.tsx';
import type { ImportParts } from './live-import.ts';
import { RowDetails } from './row-details.tsx';

const PAGE = 100;
/** There each row is as high as a quarter of the screen, and stands below much else: more are shown when they are asked for. */
const FIRST_ON_PHONE = 4;
const STEP_ON_PHONE = 25;
/** Rows on the page at the same time: the earliest make room. */
const MAX_ROWS = 500;

export function ImportRows({ children, ...parts }: ImportParts & { children: ComponentChildren }) {
  const { filter } = parts;
  return (
    <div class="rows row">
      {children}
      <FilterBar filter={filter} label="Filter rows" inSight={3} conditions={filter.conditions} />
      {filter.values['state'] === undefined ? <RowsByOutcome {...parts} /> : <RowsToCorrect {...parts} />}
    </div>
  );
}

function RowsByOutcome(parts: ImportParts) {
  const { view, filter } = parts;
  const { id } = view;
  const path = addressOf('GET /v1/imports/:id/rows', { id, query: filter.values });
  const [limit, step] = isNarrow() ? [FIRST_ON_PHONE, STEP_ON_PHONE] : [PAGE, PAGE];
  const pages = usePages(path, { name: 'rows', limit, step, most: MAX_ROWS });
  const { items, total } = pages.shown;
  // Once it is sent, the outcomes count.
  const hasCheck = view.state === 'staged' && view.checkedRows !== undefined;
  const over = view.finishedAt !== null;
  const columns = useMemo(() => rowColumns(hasCheck, over), [hasCheck, over]);
  // Also before the first answer, which may say how it was before the turn.
  useChange(`${view.state} ${hasCheck}`, () => void pages.refresh());
  // Those that are shown get their outcomes while the import runs.
  useChange(useSettled(parts, items), () => !over && pages.soon());
  return (
    <List
      class="one-line"
      pages={pages}
      filter={filter}
      hasBar={false}
      caption="Rows of the file with their outcomes"
      noun="rows"
      columns={columns}
      keyOf={({ row }) => row}
      unfold={({ row, line }) => ({
        label: `Details of row ${grouped(line)}`,
        content: () => <RowDetails id={id} row={row} over={over} />,
      })}
      empty="No rows yet."
    >
      <p class="note" role="status">
        {shownSentence(pages, view.rows.read, filter.isSet)}
      </p>
      <RowsActions {...parts} total={total} />
    </List>
  );
}

/** The number of rows with an outcome; always 0 where all shown rows have theirs, in an order that no outcome changes. */
function useSettled({ view, filter }: ImportParts, items: readonly RowView[] | undefined) {
  const { sort = '' } = filter.values;
  const isFixed = useMemo(() => items?.every(({ status }) => status !== 'unprocessed'), [items]);
  if (isFixed && !filter.isSet && ['', 'row', 'uid', 'guid'].includes(sort)) return 0;
  return sumOfOutcomes(view.rows);
}

/** @param all rows of the file @param isSet whether they are filtered */
function shownSentence({ isOld, shown: { items = [], total, dropped } }: Pages<RowView>, all: number, isSet: boolean) {
  if (isOld) return 'Searching …';
  if (total === null || (total === 0 && !isSet)) return '';
  const which = isSet ? `${grouped(total)} of ${counted(all, 'row')} fit this filter` : counted(total, 'row');
  if (items.length === total) return `${which}.`;
  return `${which}; ${grouped(items.length)} shown${dropped > 0 ? ', earlier ones are hidden' : ''}.`;
}

/** @param total of the rows that pass the filter */
function RowsActions({ view, filter, total }: ImportParts & { total: number | null }) {
  const { isOperator, go } = usePlace();
  const { id } = view;
  const chosen = filter.set;
  const wanted = chosen['status']?.split(',');
  const status = [...RETRYABLE].filter((outcome) => wanted?.includes(outcome) !== false).join(',');
  const mayRetry = isOperator && filter.isSet && view.actions.includes('retry') && status !== '';
  const retryable = addressOf('GET /v1/imports/:id/rows', { id, query: { ...chosen, status, limit: 1 } });
  const { data } = useAnswer(mayRetry ? retryable : null, { turn: view.state });
  const again = (mayRetry && data?.total) || 0;
  if (total === null || total === 0) return null;
  const rows = filter.isSet ? `these ${counted(total, 'row')}` : `all ${counted(total, 'row')}`;
  const report = (format: string) => addressOf('GET /v1/imports/:id/report', { id, query: { format, ...chosen } });
  const label = `Retry ${counted(again, 'row')}`;
  const others = total - again;
  const explanation = (
    <>
      A new import sends {again === 1 ? 'it' : 'them'} again
      {others > 0 && `; the other ${counted(others, 'row')} of this filter cannot be retried`}. The rest of this import
      can still be retried later.
      <TargetOfServer />
    </>
  );
  const retry: ActionButton = {
    text: `${label}…`,
    question: { question: `${label}?`, explanation, yes: label, no: 'Not now', tone: 'main' },
    act: async (signal) => go(importHref((await call('POST /v1/imports/:id/retry', { id, query: chosen }, signal)).id)),
  };
  return (
    <div class="rows-actions" role="group" aria-label={`Actions for ${rows}`}>
      <Actions list={[again > 0 && retry]}>
        <Menu label="Download">
          {linksOf(['csv', 'xlsx', 'ndjson', 'json'], report).map(({ text, href }) => (
            <a key={text} href={href} download aria-label={`Download ${rows} as ${text}`}>
              {text}
            </a>
          ))}
        </Menu>
      </Actions>
    </div>
  );
}

const CHECK: Column<RowView> = {
  label: 'Check',
  kind: 'wide',
  cell: ({ check }) => {
    if (check === undefined) return <span class="soft">–</span>;
    const [verdict = '', code = ''] = check.split(':', 2);
    return (
      <>
        {VERDICT_LABELS[verdict as Verdict] ?? verdict}
        {code !== '' && [' ', <code key={code}>{code}</code>]}
      </>
    );
  },
};

/** @param hasCheck whether what a check said stands beside them */
function rowColumns(hasCheck: boolean, over: boolean): Column<RowView>[] {
  return [
    { label: 'Row', kind: 'number', sort: 'row', cell: 'line' },
    {
      label: 'UID',
      kind: 'main',
      sort: 'uid',
      cell: ({ uid }) => (uid === '' ? <span class="soft">–</span> : <a href={memberHref(uid)}>{foreign(uid)}</a>),
    },
    { label: 'Group', sort: 'guid', cell: 'guid', same: ({ guid }) => guid },
    { label: 'Region', cell: 'region', same: ({ region }) => region },
    { label: 'Scope', cell: 'scope', same: ({ scope }) => scope },
    {
      label: 'Outcome',
      sort: 'outcome',
      cell: ({ status, scope }) => <OutcomeMark outcome={outcomeNow(status, over)} scope={scope} />,
    },
    ...(hasCheck ? [CHECK] : []),
    {
      label: 'Code and message',
      kind: 'wide',
      sort: 'code',
      cell: ({ code, message }) => <Coded code={code} text={foreign(messageWords(message))} />,
    },
  ];
}
