/** The rows to repair as a table whose cells can be edited, with the problem of each beside it. */
import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { type Column, DataTable } from '../../../console/data-table.tsx';
import { Empty, ErrorPlace, foreign, importHref } from '../../../console/elements.tsx';
import { columnLabel } from '../../../console/import-words.ts';
import { usePlace } from '../../../console/place.ts';
import { useWork, WorkButton } from '../../../console/work.tsx';
import { grouped } from '../../../text/wording.ts';
import type { RepairRow, RepairView } from '../api.ts';
import { Cell } from './repair-cell.tsx';
import { pageSize, type RepairRows } from './repair-rows.ts';
import type { RepairActions } from './repair-tools.tsx';

/** Number of columns up to which all are shown. */
const ALWAYS_SHOWN = 6;

interface RepairGridProperties {
  repair: RepairRows;
  view: RepairView;
  actions: RepairActions;
}

export function RepairGrid({ repair, view, actions }: RepairGridProperties) {
  const { isOperator } = usePlace();
  const isWhole = useSignal(view.columns.length <= ALWAYS_SHOWN);
  const rows = repair.rows.value;
  const shown = columnsToShow(view, rows ?? [], isWhole.value);
  const names = shown.map(({ name }) => name).join('\n');
  const columns = useMemo(
    () => tableColumns({ repair, actions, columns: shown, isReadOnly: !isOperator }),
    [names, isOperator],
  );
  if (rows === undefined) return <Empty>Loading …</Empty>;
  return (
    <>
      {view.columns.length > ALWAYS_SHOWN && (
        <div class="check">
          <input
            type="checkbox"
            id="all-columns"
            checked={isWhole.value}
            onChange={({ currentTarget }) => {
              isWhole.value = currentTarget.checked;
            }}
          />
          <label for="all-columns">Show all {view.columns.length} columns</label>
        </div>
      )}
      {!repair.isFromStart.value && (
        <p class="note">
          Shown from the row that you worked on.{' '}
          <button type="button" class="quiet" onClick={() => void repair.fromStart()}>
            Show from the start
          </button>
        </p>
      )}
      {rows.length === 0 ? (
        <Empty>No row is left here.</Empty>
      ) : (
        <div class="repair-rows">
          <DataTable
            caption="Rows to repair"
            columns={columns}
            items={rows}
            keyOf={({ row }) => row}
            rowClass={({ state }) => `repair ${state}`}
          />
        </div>
      )}
      {repair.hasMore.value && (
        <button type="button" onClick={() => void repair.more()}>
          Show {pageSize()} more
        </button>
      )}
    </>
  );
}

/** Returns the columns that a membership is read from or that have a problem; all columns if `isWhole`. */
function columnsToShow({ columns }: RepairView, rows: readonly RepairRow[], isWhole: boolean) {
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

interface TableColumnsAll {
  repair: RepairRows;
  actions: RepairActions;
  columns: readonly { name: string; place: number }[];
  isReadOnly: boolean;
}

function tableColumns(all: TableColumnsAll): Column<RepairRow>[] {
  const { repair, columns, isReadOnly } = all;
  return [
    {
      label: 'Row',
      kind: 'main',
      cell: ({ line }) => (
        <>
          <span class="row-word">Row </span>
          {grouped(line)}
        </>
      ),
    },
    ...columns.map((column) => ({
      label: columnLabel(column.name),
      cell: (row: RepairRow) => <Cell {...all} row={row} column={column} />,
    })),
    { label: 'State', kind: 'wide', cell: (row) => <RowState repair={repair} row={row} isReadOnly={isReadOnly} /> },
  ];
}

function RowState({ repair, row, isReadOnly }: { repair: RepairRows; row: RepairRow; isReadOnly: boolean }) {
  const { state, problems, left, edits, sentIn } = row;
  const open = state === 'open' ? problems : left;
  const edited = Object.keys(edits);
  const missing = repair.view.value?.columns.filter((_, place) => row.cells[place] === null) ?? [];
  const asksForCells = missing.length > 0 && state !== 'sent' && open.some(({ code }) => code === 'CELL_COUNT');
  return (
    <div class="repair-state">
      <div id={`state-${row.row}`}>
        {state === 'ready' && <p class="ready">Can be sent</p>}
        {state === 'sent' && (
          <p>
            Sent in <a href={importHref(sentIn ?? '')}>{foreign(sentIn ?? '')}</a>.
          </p>
        )}
        {(state === 'open' || state === 'wrong') && (
          <ul class="plain">
            {open.map(({ column, code, reason }) => (
              <li key={`${column} ${code}`}>
                {column !== '' && (
                  <>
                    <b>{foreign(columnLabel(column))}</b>:{' '}
                  </>
                )}
                {foreign(reason)}
              </li>
            ))}
          </ul>
        )}
        {edited.length > 0 && <p class="note">{edited.map((name) => wasText(repair, row, name)).join('; ')}</p>}
      </div>
      {!isReadOnly && state !== 'sent' && <ReplaceButton repair={repair} row={row} />}
      {!isReadOnly && state !== 'sent' && (
        <div class="buttons">
          {asksForCells && (
            <button
              type="button"
              class="quiet"
              aria-label={`The missing cells are empty, row ${row.line}`}
              onClick={() => repair.edit(missing.map(({ name }) => ({ row: row.row, column: name, value: '' })))}
            >
              The missing cells are empty
            </button>
          )}
          {edited.length > 0 && (
            <button
              type="button"
              class="quiet"
              aria-label={`Restore row ${row.line}`}
              onClick={() => repair.edit(edited.map((column) => ({ row: row.row, column, value: null })))}
            >
              Restore
            </button>
          )}
        </div>
      )}
    </div>
  );
}

function wasText(repair: RepairRows, row: RepairRow, name: string) {
  const place = repair.view.peek()?.columns.findIndex((column) => column.name === name) ?? -1;
  const was = row.cells[place] ?? null;
  return was === null ? `${name}: there was no cell` : was === '' ? `${name} was empty` : `${name} was “${was}”`;
}

/** The same change for every row with the same value, right after it was made in one. */
function ReplaceButton({ repair, row }: { repair: RepairRows; row: RepairRow }) {
  const work = useWork();
  const change = repair.latest.value;
  if (change?.row !== row.row) return null;
  const { column, from, to } = change;
  const place = repair.view.peek()?.columns.findIndex(({ name }) => name === column) ?? -1;
  const isSame = (other: RepairRow) =>
    other.row !== row.row && other.state !== 'sent' && (other.edits[column] ?? other.cells[place] ?? '') === from;
  if (!repair.hasMore.value && !(repair.rows.value ?? []).some(isSame)) return null;
  const what = from === '' ? `where ${columnLabel(column)} is empty` : `with “${from}”`;
  return (
    <>
      <WorkButton busy={work.busy} onClick={() => void work.start(() => repair.replaceSame(change))}>
        Enter “{to}” in all rows {what}
      </WorkButton>
      <ErrorPlace error={work.error} />
    </>
  );
}
