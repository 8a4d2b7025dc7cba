/** What can be done with many rows at once, above the table of rows. */
import { useSignal } from '@preact/signals';
import { Empty, foreign, h } from '../../../console/element.js';
import { SelectField, TextField, useForm } from '../../../console/form.js';
import { counted, grouped } from '../../../console/format.js';
import { ErrorPlace } from '../../../console/notice.js';
import { dataTable } from '../../../console/table.js';
import { columnLabel } from '../../../console/words.js';
import { useKeptFocus, useWork, WorkButton } from '../../../console/work.js';

/** @import { RepairReplaced, RepairView } from '../api.ts' */
/** @import { RepairActions } from './repair-actions.js' */
/** @import { RepairRows } from './repair-rows.js' */

/** @type {Readonly<Record<NonNullable<RepairView['undo']>['kind'], string>>} */
const DONE = {
  edit: 'edited',
  restore: 'restored',
  paste: 'entered',
  fill: 'filled',
  replace: 'replaced',
  file: 'taken from a file',
  undo: 'undone',
  redo: 'redone',
};

/** @type {readonly (readonly [string, string])[]} */
const MATCHES = [
  ['text', 'anywhere in the cell'],
  ['pattern', 'the cell, with * and ?'],
  ['cell', 'the whole cell'],
];

/** @type {readonly (readonly [keys: string, what: string])[]} */
const KEYS = [
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

/** @param {{ repair: RepairRows, view: RepairView, actions: RepairActions }} properties */
export function RepairTools({ repair, view, actions }) {
  const buttons = useKeptFocus();
  const { undo, redo } = view;
  const here = repair.here.value;
  const { busy } = actions.work;
  return h(
    'div',
    { class: 'repair-tools' },
    h(
      'div',
      { class: 'buttons', ref: buttons },
      h(
        WorkButton,
        { busy, onClick: actions.fill },
        here === undefined ? 'Fill down' : `Fill down ${columnLabel(here.column)} of row ${here.row.line}`,
      ),
      undo !== null &&
        h(
          WorkButton,
          { busy, onClick: () => actions.undo('undo') },
          `Undo: ${counted(undo.cells, 'cell')} ${DONE[undo.kind]}`,
        ),
      redo !== null &&
        h(WorkButton, { busy, onClick: () => actions.undo('redo') }, `Redo: ${counted(redo.cells, 'cell')}`),
    ),
    h('p', { class: 'done', role: 'status' }, foreign(actions.done)),
    h(ErrorPlace, { error: actions.work.error }),
    h('details', null, h('summary', null, 'Find and replace'), h(FindReplace, { repair, view, actions })),
    h(
      'details',
      null,
      h('summary', null, 'Keys'),
      h(
        'dl',
        { class: 'keys' },
        KEYS.flatMap(([keys, what]) => [h('dt', { key: keys }, keys), h('dd', { key: what }, what)]),
      ),
    ),
  );
}

/** @param {{ repair: RepairRows, view: RepairView, actions: RepairActions }} properties */
function FindReplace({ repair, view, actions }) {
  const names = view.columns.map(({ name }) => name).filter((name) => name !== '_from_row' && name !== '_edited');
  const [first = ''] = view.problems.map(({ column }) => column).filter((column) => names.includes(column));
  const form = useForm({ column: first || (names[0] ?? ''), as: 'text', from: '', to: '' });
  const work = useWork();
  /** What would change, and of which entries. */
  const looked = useSignal(/** @type {{ given: object, result: RepairReplaced } | undefined} */ (undefined));
  const given = form.values.value;
  const found = looked.value?.given === given ? looked.value.result : undefined;
  const look = () =>
    work.start(async () => {
      const result = await repair.act('replace', { ...given, preview: true });
      looked.value = { given, result };
    });
  return h(
    'form',
    {
      onSubmit: (event) => {
        event.preventDefault();
        void look();
      },
    },
    h(
      'div',
      { class: 'fields' },
      h(SelectField, {
        form,
        name: 'column',
        label: 'In column',
        choices: names.map((name) => /** @type {const} */ ([name, columnLabel(name)])),
      }),
      h(SelectField, { form, name: 'as', label: 'Match', choices: MATCHES }),
      h(TextField, { form, name: 'from', label: 'Find' }),
      h(TextField, { form, name: 'to', label: 'Replace with' }),
    ),
    h(
      'p',
      { class: 'note' },
      'Upper and lower case count. In a pattern, * stands for any characters and ? for one, and in the new text $1 for what the first of them stands for: “*, *” becomes “$2-$1”.',
    ),
    h(
      'div',
      { class: 'buttons' },
      h('button', { type: 'submit', 'aria-disabled': work.busy }, 'Preview'),
      found !== undefined &&
        found.cells > 0 &&
        h(
          WorkButton,
          { busy: actions.work.busy, kind: 'main', onClick: () => actions.replace(given) },
          `Replace in ${counted(found.cells, 'cell')}`,
        ),
    ),
    h(ErrorPlace, { error: work.error }),
    h('p', { role: 'status' }, found !== undefined && previewSentence(found)),
    found !== undefined && found.cells > 0 && h('div', { class: 'preview' }, examplesTable(found)),
  );
}

/** @param {RepairReplaced} found */
function previewSentence({ cells, examples }) {
  if (cells === 0) return 'No cell of the rows with this problem and state would change.';
  const would = `${counted(cells, 'cell')} would change`;
  return cells > examples.length ? `${would}. The first ${grouped(examples.length)}:` : `${would}:`;
}

/** @param {RepairReplaced} found */
function examplesTable({ examples }) {
  return dataTable({
    caption: 'What would change',
    items: examples,
    keyOf: ({ line }) => line,
    columns: [
      { label: 'Row', kind: 'main', cell: ({ line }) => grouped(line) },
      { label: 'Now', cell: ({ from }) => h('code', null, foreign(from)) },
      { label: 'Afterwards', cell: ({ to }) => (to === '' ? h(Empty, {}, 'empty') : h('code', null, foreign(to))) },
    ],
  });
}
