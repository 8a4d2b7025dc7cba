/** The rows to repair as a table whose values are fields, with the problem of each beside it. */
import type { ComponentChildren, TargetedKeyboardEvent } from 'preact';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { columnLabel } from '../../../console/import-words.ts';
import { type ActionButton, confirmed } from '../../../console/kit/actions.tsx';
import { foreign, importHref } from '../../../console/kit/elements.tsx';
import { type Column, List } from '../../../console/kit/list.tsx';
import { usePlace } from '../../../console/place.ts';
import { counted, grouped } from '../../../text/wording.ts';
import type { AskedEdit, RepairRow, RepairTaken, RepairView } from '../operations.ts';
import { type Repair, useRows } from './repair-rows.ts';

/** Number of columns up to which all are shown. */
const MAX_SHOWN = 12;

/** @param children stand between the filter and the rows */
export function RepairTable({ children }: { children?: ComponentChildren }) {
  const repair = useRows();
  const { view, pages, filter } = repair;
  const { isOperator } = usePlace();
  const names = columnsToShow(view, pages.shown.items ?? []);
  const columns = useMemo(
    (): Column<RepairRow>[] => [
      { label: 'Row', kind: 'main', cell: ({ line }) => <span class="row-number">{grouped(line)}</span> },
      ...names.map((name) => ({
        label: columnLabel(name),
        cell: (row: RepairRow) => <Value row={row} column={name} isFixed={!isOperator || row.state === 'sent'} />,
      })),
      {
        label: 'State',
        kind: 'wide',
        cell: (row) => (
          <div id={`state-${row.row}`}>
            <RowState row={row} />
          </div>
        ),
      },
    ],
    [names.join('\n'), isOperator],
  );
  return (
    <List
      class="repair-rows"
      pages={pages}
      filter={filter}
      caption="Rows to repair"
      noun="rows"
      columns={columns}
      keyOf={({ row }) => row}
      actions={(row) => ({ list: actionsOf(row, repair) })}
      unfold={(row) => ({ label: `State of row ${row.line}`, content: () => <RowState row={row} /> })}
      empty="No row is left here."
    >
      {children}
    </List>
  );
}

/** The columns; of many, those that a membership is read from, that have a problem or an edit, or that a row lacks. */
function columnsToShow({ columns }: RepairView, rows: readonly RepairRow[]) {
  const touched = new Set(
    rows.flatMap((row) => [...row.problems.map(({ column }) => column), ...Object.keys(row.edits)]),
  );
  return columns
    .filter(
      ({ name, fields }, place) =>
        columns.length <= MAX_SHOWN ||
        fields.length > 0 ||
        touched.has(name) ||
        rows.some(({ cells }) => cells[place] === null),
    )
    .map(({ name }) => name);
}

/** A value as a field. It is entered when the field is left, and with Enter, which goes to the row below. */
function Value({ row, column, isFixed }: { row: RepairRow; column: string; isFixed: boolean }) {
  const repair = useRows();
  const now = repair.valueNow(row, column);
  const text = now ?? '';
  const field = useRef<HTMLInputElement | null>(null);
  // Not while a person types in it: it is drawn again when something else is saved.
  useLayoutEffect(() => {
    if (field.current !== null) field.current.value = text;
  }, [text]);
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLInputElement>) => {
    if (event.isComposing) return;
    if (event.key === 'Escape') event.currentTarget.value = text;
    if (event.key === 'Enter' && focusBelow(event.currentTarget)) event.preventDefault();
  };
  return (
    <input
      type="text"
      class={Object.hasOwn(row.edits, column) ? 'edited' : ''}
      aria-label={`${columnLabel(column)}, row ${row.line}`}
      aria-invalid={row.problems.some((problem) => problem.column === column) || undefined}
      aria-describedby={`state-${row.row}`}
      ref={field}
      placeholder={now === null && lacksCells(row) ? 'no such cell' : undefined}
      maxLength={10_000}
      readOnly={isFixed}
      spellcheck={false}
      autocapitalize="none"
      autocomplete="off"
      onChange={({ currentTarget }) => void repair.edit([{ row, column, value: currentTarget.value }])}
      onFocus={({ currentTarget }) => currentTarget.select()}
      onMouseDown={(event) => {
        // The first click chooses the value, so that typing replaces it; the next one goes into it.
        if (document.activeElement === event.currentTarget) return;
        event.preventDefault();
        event.currentTarget.focus();
      }}
      onKeyDown={onKeyDown}
      onPaste={(event) => {
        const lines = (event.clipboardData?.getData('text/plain') ?? '').replace(/\r?\n$/, '').split(/\r?\n/);
        if (lines.length === 1 || isFixed) return;
        event.preventDefault();
        void paste(repair, lines, row, column);
      }}
    />
  );
}

function lacksCells({ problems }: RepairRow) {
  return problems.some(({ code }) => code === 'CELL_COUNT');
}

/** @returns whether there is a field below */
function focusBelow(field: HTMLInputElement) {
  const cell = field.closest('td');
  const below = cell?.closest('tr')?.nextElementSibling?.children[cell.cellIndex]?.querySelector('input');
  below?.focus();
  return below != null;
}

/** The state of a row: its first line in the row, all of it where the row is opened. */
function RowState({ row }: { row: RepairRow }) {
  const { edits: waiting, inFile } = useRows();
  const { state, problems, edits, sentIn } = row;
  const isOfRow = (edit: Pick<AskedEdit, 'row'>) => edit.row === row.row;
  const isUnsaved = waiting.unsaved.value.some(isOfRow);
  const edited = Object.keys(edits).map((name) => wasText(inFile(row, name), name));
  return (
    <>
      {isUnsaved && <p class="note">{waiting.failure.value === undefined ? 'Saving …' : 'Not saved'}</p>}
      {waiting.refused.value.filter(isOfRow).map(({ column, value, reason }) => (
        <p key={column} class="attention">
          “{foreign(value ?? '')}” was not entered in {foreign(columnLabel(column))}: {foreign(reason)}
        </p>
      ))}
      {state === 'ready' && !isUnsaved && <p class="ready">Can be sent</p>}
      {state === 'sent' && (
        <p>
          Sent in <a href={importHref(sentIn ?? '')}>{foreign(sentIn ?? '')}</a>.
        </p>
      )}
      {problems.map(({ column, reason }, index) => (
        <p key={index}>
          {column !== '' && <b>{foreign(columnLabel(column))}: </b>}
          {foreign(reason)}
        </p>
      ))}
      {edited.length > 0 && <p class="note">{edited.join('; ')}</p>}
    </>
  );
}

/** Actions on a row as a whole. */
function actionsOf(row: RepairRow, { view, edit, valueNow }: Repair): (ActionButton | false)[] {
  const { line, state, edits } = row;
  const edited = Object.keys(edits);
  const missing = view.columns.filter(({ name }) => valueNow(row, name) === null);
  return [
    lacksCells(row) &&
      missing.length > 0 && {
        text: 'Missing cells are empty',
        label: `Missing cells are empty, row ${line}`,
        kind: 'quiet',
        act: () => edit(missing.map(({ name }) => ({ row, column: name, value: '' }))),
      },
    edited.length > 0 &&
      state !== 'sent' && {
        text: 'Restore',
        label: `Restore row ${line}`,
        kind: 'quiet',
        act: () => edit(edited.map((column) => ({ row, column, value: null }))),
      },
  ];
}

function wasText(was: string | null, column: string) {
  return was === null ? `${column}: there was no cell` : was === '' ? `${column} was empty` : `${column} was “${was}”`;
}

/** Lines that are pasted at once: all of their rows are shown. */
const MAX_LINES = 1000;
/** Changes that are shown before they are made. */
const MAX_EXAMPLES = 10;

/** Enters lines in a column, from a row on. */
function paste({ pages, valueNow, edit, carryOut }: Repair, lines: readonly string[], row: RepairRow, column: string) {
  return carryOut(async () => {
    if (lines.some((line) => line.includes('\t'))) return 'Nothing was entered: copy one column at a time.';
    const below = () => {
      const rows = pages.shown.items ?? [];
      return rows.slice(rows.findIndex((one) => one.row === row.row)).filter(({ state }) => state !== 'sent');
    };
    const wanted = Math.min(lines.length, MAX_LINES);
    while (below().length < wanted && pages.shown.cursor !== null) await pages.more();
    const values = below()
      .slice(0, wanted)
      .map((one, index) => ({ row: one, column, value: lines[index] ?? '' }));
    const left = lines.length - values.length;
    const examples = values
      .slice(0, MAX_EXAMPLES)
      .map(({ row, value }) => ({ line: row.line, from: valueNow(row, column) ?? '', to: value }));
    const why = values.length === MAX_LINES ? 'for more, correct a file' : 'there is no row below';
    const leftOut = left > 0 && [
      `${counted(left, 'line')} left out, from “`,
      foreign(lines[values.length] ?? ''),
      `” on: ${why}.`,
    ];
    if (!(await agreed(column, { rows: values.length, examples }, leftOut))) return 'Nothing was entered.';
    await edit(values);
    return [];
  });
}

/** Asks before values of many rows are changed. */
export function agreed(
  column: string,
  { rows, examples }: Pick<RepairTaken, 'rows' | 'examples'>,
  note: ComponentChildren = '',
) {
  return confirmed({
    question: `Change ${columnLabel(column)} in ${counted(rows, 'row')}?`,
    explanation: (
      <>
        {rows > examples.length && `The first ${grouped(examples.length)} of them:`}
        <ul class="plain">
          {examples.map(({ line, from, to }) => (
            <li key={line}>
              Row {grouped(line)}: <code>{foreign(from) ?? 'empty'}</code> becomes <code>{foreign(to) ?? 'empty'}</code>
            </li>
          ))}
        </ul>
        {note}
      </>
    ),
    yes: `Change ${counted(rows, 'row')}`,
    no: 'Change nothing',
    tone: 'main',
  });
}
