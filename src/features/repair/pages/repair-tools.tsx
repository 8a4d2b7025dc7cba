/** Tools for many rows at once, above the table of rows. */
import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { DataTable } from '../../../console/data-table.tsx';
import { confirmed } from '../../../console/dialog.tsx';
import { Empty, ErrorPlace, foreign } from '../../../console/elements.tsx';
import { SelectField, TextField, useForm } from '../../../console/form.tsx';
import { columnLabel } from '../../../console/import-words.ts';
import { useKeptFocus, useWork, type Work, WorkButton } from '../../../console/work.tsx';
import { counted, grouped } from '../../../text/wording.ts';
import type { RepairReplaced, RepairRow, RepairView } from '../api.ts';
import type { Cells } from './marked-cells.ts';
import type { RepairRows } from './repair-rows.ts';

const DONE: Readonly<Record<NonNullable<RepairView['undo']>['kind'], string>> = {
  edit: 'edited',
  restore: 'restored',
  paste: 'entered',
  fill: 'filled',
  replace: 'replaced',
  file: 'taken from a file',
  undo: 'undone',
  redo: 'redone',
};

const MATCHES: readonly (readonly [string, string])[] = [
  ['text', 'anywhere in the cell'],
  ['pattern', 'the cell, with * and ?'],
  ['cell', 'the whole cell'],
];

const KEYS: readonly (readonly [keys: string, what: string])[] = [
  [
    'Arrows, Tab, Home, End, Page Up, Page Down',
    'go from cell to cell; with Ctrl, Home and End go to the first and last cell',
  ],
  ['Enter, F2, a second click', 'go into the cell; typing replaces it'],
  ['Enter', 'keeps what was typed and goes down'],
  ['Escape', 'forgets what was typed'],
  ['Delete', 'empties the cell'],
  ['Ctrl+C, Ctrl+V', 'copy and paste; pasted lines go into this row and those below'],
  [
    'Shift with the arrows, Page Up, Page Down, Home, End or a click',
    'marks cells: copying, pasting, Delete and Ctrl+D are for all of them',
  ],
  ['Ctrl+D', 'enters the value of the cell above'],
  ['Ctrl+Z', 'undoes the last action; Ctrl+Y or Ctrl+Shift+Z does it again'],
];

interface RepairToolsProperties {
  repair: RepairRows;
  view: RepairView;
  actions: RepairActions;
}

export function RepairTools({ repair, view, actions }: RepairToolsProperties) {
  const buttons = useKeptFocus();
  const { undo, redo } = view;
  const cell = repair.currentCell.value;
  const { busy } = actions.work;
  return (
    <div class="repair-tools">
      <div class="buttons" ref={buttons}>
        <WorkButton busy={busy} onClick={actions.fill}>
          {cell === undefined ? 'Fill down' : `Fill down ${columnLabel(cell.column)} of row ${cell.row.line}`}
        </WorkButton>
        {undo !== null && (
          <WorkButton busy={busy} onClick={() => actions.undo('undo')}>
            Undo: {counted(undo.cells, 'cell')} {DONE[undo.kind]}
          </WorkButton>
        )}
        {redo !== null && (
          <WorkButton busy={busy} onClick={() => actions.undo('redo')}>
            Redo: {counted(redo.cells, 'cell')}
          </WorkButton>
        )}
      </div>
      <p class="done" role="status">
        {foreign(actions.done)}
      </p>
      <ErrorPlace error={actions.work.error} />
      <details>
        <summary>Find and replace</summary>
        <FindReplace repair={repair} view={view} actions={actions} />
      </details>
      <details>
        <summary>Keys</summary>
        <dl class="keys">{KEYS.flatMap(([keys, what]) => [<dt key={keys}>{keys}</dt>, <dd key={what}>{what}</dd>])}</dl>
      </details>
    </div>
  );
}

function FindReplace({ repair, view, actions }: { repair: RepairRows; view: RepairView; actions: RepairActions }) {
  const names = view.columns.map(({ name }) => name).filter((name) => name !== '_from_row' && name !== '_edited');
  const [first = ''] = view.problems.map(({ column }) => column).filter((column) => names.includes(column));
  const form = useForm({ column: first || (names[0] ?? ''), as: 'text', from: '', to: '' });
  const work = useWork();
  /** The preview of the changes, and the entries that it belongs to. */
  const looked = useSignal<{ given: object; result: RepairReplaced } | undefined>(undefined);
  const given = form.values.value;
  const found = looked.value?.given === given ? looked.value.result : undefined;
  const look = () =>
    work.start(async () => {
      const result = await repair.act('replace', { ...given, preview: true });
      looked.value = { given, result };
    });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void look();
      }}
    >
      <div class="fields">
        <SelectField
          form={form}
          name="column"
          label="In column"
          choices={names.map((name) => [name, columnLabel(name)] as const)}
        />
        <SelectField form={form} name="as" label="Match" choices={MATCHES} />
        <TextField form={form} name="from" label="Find" />
        <TextField form={form} name="to" label="Replace with" />
      </div>
      <p class="note">
        Upper and lower case count. In a pattern, * stands for any characters and ? for one, and in the new text $1 for
        what the first of them stands for: “*, *” becomes “$2-$1”.
      </p>
      <div class="buttons">
        <button type="submit" aria-disabled={work.busy}>
          Preview
        </button>
        {found !== undefined && found.cells > 0 && (
          <WorkButton busy={actions.work.busy} kind="main" onClick={() => actions.replace(given)}>
            Replace in {counted(found.cells, 'cell')}
          </WorkButton>
        )}
      </div>
      <ErrorPlace error={work.error} />
      <p role="status">{found !== undefined && previewSentence(found)}</p>
      {found !== undefined && found.cells > 0 && <div class="preview">{examplesTable(found)}</div>}
    </form>
  );
}

function previewSentence({ cells, examples }: RepairReplaced) {
  if (cells === 0) return 'No cell of the rows with this problem and state would change.';
  const would = `${counted(cells, 'cell')} would change`;
  return cells > examples.length ? `${would}. The first ${grouped(examples.length)}:` : `${would}:`;
}

function examplesTable({ examples }: RepairReplaced) {
  return (
    <DataTable
      caption="What would change"
      items={examples}
      keyOf={({ line }) => line}
      columns={[
        { label: 'Row', kind: 'main', cell: ({ line }) => grouped(line) },
        { label: 'Now', cell: ({ from }) => <code>{foreign(from)}</code> },
        { label: 'Afterwards', cell: ({ to }) => (to === '' ? <Empty>empty</Empty> : <code>{foreign(to)}</code>) },
      ]}
    />
  );
}

export interface RepairActions {
  work: Work;
  /** The change that the last action has made. */
  done: string;
  /** From this row on, into these columns. */
  paste: (lines: readonly (readonly string[])[], row: RepairRow, columns: readonly string[]) => void;
  /** A line in each of these rows, into these columns. */
  enter: (cells: Cells, lines: readonly (readonly string[])[]) => void;
  /** The cell that was last used, into all rows below it. */
  fill: () => void;
  replace: (given: object) => void;
  undo: (what: 'undo' | 'redo') => void;
}

export function useRepairActions(repair: RepairRows): RepairActions {
  const work = useWork();
  const done = useSignal('');
  const turn = useRef(Promise.resolve());
  /** Keys may be pressed faster than the server answers: each has its turn. @param task gives what it has done, or '' */
  const start = (task: () => Promise<string>) => {
    turn.current = turn.current.then(() =>
      work.start(async () => {
        done.value = '';
        done.value = await task();
      }),
    );
  };
  return {
    work,
    done: done.value,
    paste: (lines, row, columns) => start(() => paste(repair, lines, row, columns)),
    enter: ({ rows, columns }, lines) =>
      start(async () => {
        const given = { rows: rows.map(({ row }) => row), columns: columns.map(({ name }) => name), lines };
        return changedSentence(await repair.act('paste', given));
      }),
    fill: () => start(() => fill(repair)),
    replace: (given) => start(async () => changedSentence(await repair.act('replace', given))),
    undo: (what) =>
      start(async () => {
        const undone = await repair.undo(what);
        return undone === undefined
          ? `There is nothing of yours to ${what}.`
          : `${what === 'undo' ? 'Undone' : 'Redone'}: ${counted(undone.cells, 'cell')} in ${counted(undone.rows, 'row')}.`;
      }),
  };
}

async function paste(
  repair: RepairRows,
  lines: readonly (readonly string[])[],
  row: RepairRow,
  columns: readonly string[],
) {
  const given = { rows: rowsFrom(repair, row).slice(0, lines.length), columns, lines };
  const preview = await repair.act('paste', { ...given, preview: true });
  const leftOut = leftOutSentences(preview, lines);
  const entered = lines.length - preview.leftOut.lines;
  const yes =
    leftOut.length === 0 ||
    (await confirmed({
      question:
        preview.leftOut.lines === 0
          ? `Enter ${counted(entered, 'line')}?`
          : `Enter ${grouped(entered)} of ${counted(lines.length, 'line')}?`,
      explanation: [
        preview.leftOut.lines > 0 && `There are ${counted(entered, 'row')} from row ${row.line} on. `,
        leftOut.map(foreign),
      ],
      yes: `Enter ${counted(entered, 'line')}`,
      no: 'Enter nothing',
      tone: 'main',
    }));
  if (!yes) return 'Nothing was entered.';
  const result = await repair.act('paste', given);
  return [changedSentence(result), ...leftOutSentences(result, lines)].join(' ');
}

function leftOutSentences({ leftOut }: RepairReplaced, lines: readonly (readonly string[])[]) {
  const first = lines.at(lines.length - leftOut.lines)?.[0] ?? '';
  const [were, are] = leftOut.lines === 1 ? ['is', 'it'] : ['are', 'them'];
  return [
    leftOut.lines > 0 &&
      `${counted(leftOut.lines, 'line')} ${were} left out, from “${first}” on: there is no row for ${are}.`,
    leftOut.cells > 0 && `${counted(leftOut.cells, 'cell')} to the right of the last column are left out.`,
  ].filter((part) => part !== false);
}

async function fill(repair: RepairRows) {
  const cell = repair.currentCell.peek();
  const row = repair.rows.peek()?.find((one) => one.row === cell?.row.row);
  if (cell === undefined || row === undefined) return 'Choose a cell first: its value goes into the rows below.';
  const { column } = cell;
  const place = repair.view.peek()?.columns.findIndex(({ name }) => name === column) ?? -1;
  const value = row.edits[column] ?? row.cells[place] ?? '';
  const given = { rows: rowsFrom(repair, row), columns: [column], lines: [[value]], fill: true };
  const { rows } = await repair.act('paste', { ...given, preview: true });
  if (rows === 0) return `No row below row ${row.line} has another value in ${columnLabel(column)}.`;
  const yes = await confirmed({
    question: `Fill ${columnLabel(column)} down?`,
    explanation: [
      value === '' ? 'Nothing' : ['“', foreign(value), '”'],
      ` is entered in ${columnLabel(column)} of ${counted(rows, 'row')} below row ${row.line}, up to the last one with this problem and state.`,
    ],
    yes: `Fill ${counted(rows, 'row')}`,
    no: 'Leave them',
    tone: 'main',
  });
  return yes ? changedSentence(await repair.act('paste', given)) : '';
}

/** The rows that are shown from this one on. */
function rowsFrom(repair: RepairRows, row: RepairRow) {
  const shown = repair.rows.peek() ?? [];
  return shown.slice(shown.findIndex((one) => one.row === row.row)).map((one) => one.row);
}

function changedSentence({ cells, rows, ready }: RepairReplaced) {
  return cells === 0
    ? 'Nothing was changed.'
    : `${counted(cells, 'cell')} in ${counted(rows, 'row')} ${cells === 1 ? 'was' : 'were'} changed; ${grouped(ready)} of these rows can be sent.`;
}
