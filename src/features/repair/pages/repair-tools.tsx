/** Tools for many rows at once, above the table of rows. */
import { useSignal } from '@preact/signals';
import { Empty, foreign } from '../../../console/element.tsx';
import { SelectField, TextField, useForm } from '../../../console/form.tsx';
import { counted, grouped } from '../../../console/format.ts';
import { ErrorPlace } from '../../../console/notice.tsx';
import { DataTable } from '../../../console/table.tsx';
import { columnLabel } from '../../../console/words.ts';
import { useKeptFocus, useWork, WorkButton } from '../../../console/work.tsx';
import type { RepairReplaced, RepairView } from '../api.ts';
import type { RepairActions } from './repair-actions.ts';
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
  const here = repair.here.value;
  const { busy } = actions.work;
  return (
    <div class="repair-tools">
      <div class="buttons" ref={buttons}>
        <WorkButton busy={busy} onClick={actions.fill}>
          {here === undefined ? 'Fill down' : `Fill down ${columnLabel(here.column)} of row ${here.row.line}`}
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
