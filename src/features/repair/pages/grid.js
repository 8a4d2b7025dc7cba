/** The rows to repair as a table whose cells can be edited, with the problem of each beside it. */
import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { Empty, foreign, h, importHref } from '../../../console/element.js';
import { grouped } from '../../../console/format.js';
import { ErrorPlace } from '../../../console/notice.js';
import { usePlace } from '../../../console/place.js';
import { dataTable } from '../../../console/table.js';
import { columnLabel } from '../../../console/words.js';
import { useWork, WorkButton } from '../../../console/work.js';
import { Cell } from './cell.js';
import { PAGE } from './repair-rows.js';

/** @import { RepairRow, RepairView } from '../api.ts' */
/** @import { RepairActions } from './repair-actions.js' */
/** @import { RepairRows } from './repair-rows.js' */

/** Columns that are shown where the file has no more. */
const FEW = 6;

/** @param {{ repair: RepairRows, view: RepairView, actions: RepairActions }} properties */
export function RepairGrid({ repair, view, actions }) {
  const { isOperator } = usePlace();
  const isWhole = useSignal(view.columns.length <= FEW);
  const rows = repair.rows.value;
  const shown = columnsToShow(view, rows ?? [], isWhole.value);
  const names = shown.map(({ name }) => name).join('\n');
  const columns = useMemo(
    () => tableColumns({ repair, actions, columns: shown, isReadOnly: !isOperator }),
    [names, isOperator],
  );
  if (rows === undefined) return h(Empty, {}, 'Loading …');
  return [
    view.columns.length > FEW &&
      h(
        'div',
        { key: 'whole', class: 'check' },
        h('input', {
          type: 'checkbox',
          id: 'all-columns',
          checked: isWhole.value,
          onChange: ({ currentTarget }) => {
            isWhole.value = currentTarget.checked;
          },
        }),
        h('label', { for: 'all-columns' }, `Show all ${view.columns.length} columns`),
      ),
    !repair.isFromStart.value &&
      h(
        'p',
        { key: 'start', class: 'note' },
        'Shown from the row that you worked on. ',
        h('button', { type: 'button', class: 'quiet', onClick: () => void repair.fromStart() }, 'Show from the start'),
      ),
    rows.length === 0
      ? h(Empty, { key: 'none' }, 'No row is left here.')
      : h(
          'div',
          { key: 'rows', class: 'repair-rows' },
          dataTable({
            caption: 'Rows to repair',
            columns,
            items: rows,
            keyOf: ({ row }) => row,
            rowClass: ({ state }) => `repair ${state}`,
          }),
        ),
    repair.hasMore.value &&
      h('button', { key: 'more', type: 'button', onClick: () => void repair.more() }, `Show ${PAGE} more`),
  ];
}

/**
 * What a membership is read from and what has a problem, or everything.
 * @param {RepairView} view
 * @param {readonly RepairRow[]} rows
 * @param {boolean} isWhole
 */
function columnsToShow({ columns }, rows, isWhole) {
  const wrong = new Set(rows.flatMap(({ problems }) => problems.map(({ column }) => column)));
  const edited = new Set(rows.flatMap(({ edits }) => Object.keys(edits)));
  return columns
    .map(({ name, fields }, place) => ({ name, fields, place }))
    .filter(({ name }) => name !== '_from_row' && name !== '_edited')
    .filter(
      ({ name, fields, place }) =>
        isWhole ||
        fields.length > 0 ||
        wrong.has(name) ||
        edited.has(name) ||
        rows.some(({ cells }) => cells[place] === null),
    );
}

/**
 * @param {object} all
 * @param {RepairRows} all.repair
 * @param {RepairActions} all.actions
 * @param {readonly { name: string, place: number }[]} all.columns
 * @param {boolean} all.isReadOnly
 * @returns {import('../../../console/table.js').Column<RepairRow>[]}
 */
function tableColumns(all) {
  const { repair, columns, isReadOnly } = all;
  return [
    { label: 'Row', kind: 'main', cell: ({ line }) => [h('span', { class: 'row-word' }, 'Row '), grouped(line)] },
    ...columns.map((column) => ({
      label: columnLabel(column.name),
      cell: (/** @type {RepairRow} */ row) => h(Cell, { ...all, row, column }),
    })),
    { label: 'State', kind: 'wide', cell: (row) => h(RowState, { repair, row, isReadOnly }) },
  ];
}

/** What is wrong with a row or what it was, and what can be done about it. @param {{ repair: RepairRows, row: RepairRow, isReadOnly: boolean }} properties */
function RowState({ repair, row, isReadOnly }) {
  const { state, problems, left, edits, sentIn } = row;
  const open = state === 'open' ? problems : left;
  const edited = Object.keys(edits);
  const missing = repair.view.value?.columns.filter((_, place) => row.cells[place] === null) ?? [];
  const asksForCells = missing.length > 0 && state !== 'sent' && open.some(({ code }) => code === 'CELL_COUNT');
  return h(
    'div',
    { class: 'repair-state' },
    h(
      'div',
      { id: `state-${row.row}` },
      state === 'ready' && h('p', { class: 'ready' }, 'Can be sent'),
      state === 'sent' &&
        h('p', null, 'Sent in ', h('a', { href: importHref(sentIn ?? '') }, foreign(sentIn ?? '')), '.'),
      (state === 'open' || state === 'wrong') &&
        h(
          'ul',
          { class: 'plain' },
          open.map(({ column, code, reason }) =>
            h(
              'li',
              { key: `${column} ${code}` },
              column !== '' && [h('b', null, foreign(columnLabel(column))), ': '],
              foreign(reason),
            ),
          ),
        ),
      edited.length > 0 && h('p', { class: 'note' }, edited.map((name) => wasText(repair, row, name)).join('; ')),
    ),
    !isReadOnly && state !== 'sent' && h(ReplaceButton, { repair, row }),
    !isReadOnly &&
      state !== 'sent' &&
      h(
        'div',
        { class: 'buttons' },
        asksForCells &&
          h(
            'button',
            {
              type: 'button',
              class: 'quiet',
              'aria-label': `The missing cells are empty, row ${row.line}`,
              onClick: () => repair.edit(missing.map(({ name }) => ({ row: row.row, column: name, value: '' }))),
            },
            'The missing cells are empty',
          ),
        edited.length > 0 &&
          h(
            'button',
            {
              type: 'button',
              class: 'quiet',
              'aria-label': `Restore row ${row.line}`,
              onClick: () => repair.edit(edited.map((column) => ({ row: row.row, column, value: null }))),
            },
            'Restore',
          ),
      ),
  );
}

/** @param {RepairRows} repair @param {RepairRow} row @param {string} name */
function wasText(repair, row, name) {
  const place = repair.view.peek()?.columns.findIndex((column) => column.name === name) ?? -1;
  const was = row.cells[place] ?? null;
  return was === null ? `${name}: there was no cell` : was === '' ? `${name} was empty` : `${name} was “${was}”`;
}

/** The same change for every row with the same value, right after it was made in one. @param {{ repair: RepairRows, row: RepairRow }} properties */
function ReplaceButton({ repair, row }) {
  const work = useWork();
  const change = repair.latest.value;
  if (change?.row !== row.row) return null;
  const { column, from, to } = change;
  const place = repair.view.peek()?.columns.findIndex(({ name }) => name === column) ?? -1;
  const isSame = (/** @type {RepairRow} */ other) =>
    other.row !== row.row && other.state !== 'sent' && (other.edits[column] ?? other.cells[place] ?? '') === from;
  if (!repair.hasMore.value && !(repair.rows.value ?? []).some(isSame)) return null;
  const what = from === '' ? `where ${columnLabel(column)} is empty` : `with “${from}”`;
  return [
    h(
      WorkButton,
      { key: 'replace', busy: work.busy, onClick: () => void work.start(() => repair.replaceSame(change)) },
      `Enter “${to}” in all rows ${what}`,
    ),
    h(ErrorPlace, { key: 'error', error: work.error }),
  ];
}
