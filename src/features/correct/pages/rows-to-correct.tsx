/** The list of an import's rows while they are corrected: values are fields, and the state of each row stands beside them. */
import type { TargetedKeyboardEvent } from 'preact';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { columnLabel } from '../../../console/import-words.ts';
import type { ActionButton } from '../../../console/kit/actions.tsx';
import { foreign, importHref, Pending } from '../../../console/kit/elements.tsx';
import { type Column, List, sameIn } from '../../../console/kit/list.tsx';
import { usePlace } from '../../../console/place.ts';
import type { ImportParts } from '../../../console/view/import/live-import.ts';
import { RowDetails } from '../../../console/view/import/row-details.tsx';
import { grouped } from '../../../text/wording.ts';
import type { AskedEdit, CorrectionRow } from '../operations.ts';
import { type Corrections, CorrectionsContext, useCorrections, useList } from './corrections.ts';
import { ManyRows, paste } from './many-rows.tsx';

/** Number of columns up to which all are shown. */
const MAX_SHOWN = 12;

export function RowsToCorrect(parts: ImportParts) {
  const corrections = useCorrections(parts);
  const { overview, error } = corrections;
  if (overview === undefined) return <Pending error={error} />;
  return (
    <CorrectionsContext.Provider value={{ ...corrections, overview }}>
      <Rows />
    </CorrectionsContext.Provider>
  );
}

function Rows() {
  const corrections = useList();
  const { overview, pages, filter, inFile, view } = corrections;
  const { isOperator } = usePlace();
  const shown = columnsToShow(corrections);
  // Their column has its place before the first edit: the fields do not move.
  const hasActions = filter.values['state'] !== 'sent';
  const columns = useMemo(
    (): Column<CorrectionRow>[] => [
      { label: 'Row', kind: 'main', cell: ({ line }) => <span class="row-number">{grouped(line)}</span> },
      ...shown.map(({ name, mayBeHidden }) => ({
        label: columnLabel(name),
        cell: (row: CorrectionRow) => <Value row={row} column={name} isFixed={!isOperator || row.state === 'sent'} />,
        ...(mayBeHidden && { same: (row: CorrectionRow) => inFile(row, name) ?? '' }),
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
    [JSON.stringify(shown), overview.columns.length, isOperator],
  );
  const { items } = pages.shown;
  const isHiding = shown.length < overview.columns.length || columns.some((one) => sameIn(one, items) !== undefined);
  return (
    <List
      class="correcting"
      pages={pages}
      filter={filter}
      hasBar={false}
      caption="Rows to correct"
      noun="rows"
      columns={columns}
      keyOf={({ row }) => row}
      {...(hasActions && { actions: (row: CorrectionRow) => ({ list: actionsOf(row, corrections) }) })}
      unfold={(row) => ({
        label: `Details of row ${grouped(row.line)}`,
        content: () => (
          <RowDetails
            id={view.id}
            row={row.row}
            over={view.finishedAt !== null}
            said={row.problems.map(({ reason }) => reason)}
          />
        ),
      })}
      empty=""
    >
      <ManyRows isHiding={isHiding} />
    </List>
  );
}

/**
 * The columns; of many, those that a membership is read from, that have a problem or an edit, or that a row lacks. One that cannot be
 * what is wrong may be hidden where it is the same everywhere.
 */
function columnsToShow({ overview: { columns }, pages, showsAll }: Corrections) {
  if (showsAll.value) return columns.map(({ name }) => ({ name, mayBeHidden: false }));
  const rows = pages.shown.items ?? [];
  const touched = new Set(
    rows.flatMap((row) => [...row.problems.map(({ column }) => column), ...Object.keys(row.edits)]),
  );
  return columns.flatMap(({ name, fields }, place) => {
    const isRead = fields.length > 0;
    const isLacking = rows.some((row) => lacksCells(row) && row.cells[place] === null);
    const isConcerned = touched.has(name) || isLacking;
    if (columns.length > MAX_SHOWN && !isRead && !isConcerned) return [];
    // The problem of a whole row may be in any column that is read.
    return [{ name, mayBeHidden: !isConcerned && !(isRead && touched.has('')) }];
  });
}

/** A value as a field. It is entered when the field is left, and with Enter, which goes to the row below. */
function Value({ row, column, isFixed }: { row: CorrectionRow; column: string; isFixed: boolean }) {
  const corrections = useList();
  const now = corrections.valueNow(row, column);
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
      onChange={({ currentTarget }) => void corrections.edit([{ row, column, value: currentTarget.value }])}
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
        void paste(corrections, lines, row, column);
      }}
    />
  );
}

function lacksCells({ problems }: CorrectionRow) {
  return problems.some(({ code }) => code === 'CELL_COUNT');
}

/** @returns whether there is a field below */
function focusBelow(field: HTMLInputElement) {
  const cell = field.closest('td');
  const own = cell?.closest('tr');
  const next = own?.nextElementSibling;
  const below = next?.matches('.below') ? next.nextElementSibling : next;
  const other = below?.children[cell?.cellIndex ?? 0]?.querySelector('input');
  other?.focus();
  return other != null;
}

/** The state of a row: its first line in the row, all of it where the row is opened. */
function RowState({ row }: { row: CorrectionRow }) {
  const { edits: waiting, inFile } = useList();
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
function actionsOf(row: CorrectionRow, { overview, edit, valueNow }: Corrections): (ActionButton | false)[] {
  const { line, state, edits } = row;
  const edited = Object.keys(edits);
  const missing = overview.columns.filter(({ name }) => valueNow(row, name) === null);
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
