/** Tools for many rows at once: find and replace, a pasted column, a corrected file. */
import type { ComponentChildren } from 'preact';
import { columnChoices, columnLabel } from '../../../console/import-words.ts';
import { confirmed, EntryForm } from '../../../console/kit/actions.tsx';
import { foreign } from '../../../console/kit/elements.tsx';
import { addressOf, call, request } from '../../../console/requests.ts';
import { counted, grouped } from '../../../text/wording.ts';
import type { RepairReplace, RepairRow, RepairTaken } from '../operations.ts';
import { takenWords } from '../taken-words.ts';
import { type Repair, useRows } from './repair-rows.ts';

export function RepairTools() {
  const { done } = useRows();
  return (
    <div class="repair-tools row">
      <details>
        <summary>Find and replace</summary>
        <FindReplace />
      </details>
      <details>
        <summary>With a spreadsheet</summary>
        <CorrectedFile />
      </details>
      <div role="status">
        <ul class="plain">
          {done.value.map((line, at) => (
            <li key={at} class={at > 0 ? 'attention' : ''}>
              {foreign(line)}
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}

function FindReplace() {
  const repair = useRows();
  const { columns, problems } = repair.view;
  const names = columns.map(({ name }) => name);
  const column = problems.map((problem) => problem.column).find((one) => names.includes(one)) ?? names[0] ?? '';
  return (
    <EntryForm
      fields={{
        column: { label: 'In column', choices: columnChoices(names) },
        as: {
          label: 'Match',
          choices: [
            ['text', 'anywhere in the value'],
            ['cell', 'the whole value'],
          ],
        },
        from: { label: 'Find' },
        to: { label: 'Replace with', note: 'Upper and lower case count.' },
      }}
      initial={{ column, as: 'text', from: '', to: '' }}
      button="Preview…"
      isKept
      onSend={({ column = '', as, from = '', to = '' }) =>
        replace(repair, { column, as: as === 'cell' ? 'cell' : 'text', from, to })
      }
    />
  );
}

/** Enters the value that a person entered last in all rows that had the same. */
export function EnterInAll() {
  const repair = useRows();
  const last = repair.latest.value;
  if (last === undefined || last.value === null) return null;
  const { column, was, value: to } = last;
  return (
    <button
      type="button"
      class="quiet"
      onClick={() => void replace(repair, { column, from: was ?? '', to, as: 'cell' })}
    >
      {`Enter “${to}” in all rows ${was ? `with “${was}”` : `without ${columnLabel(column)}`}…`}
    </button>
  );
}

/** Finds and replaces in the rows that pass the filter, after a look at what would change. */
function replace(
  { id, wanted, state, latest, carryOut }: Repair,
  given: Pick<RepairReplace, 'column' | 'as' | 'from' | 'to'>,
) {
  return carryOut(async (signal) => {
    const states = state ? [state as 'open'] : undefined;
    const ask = (preview: boolean) =>
      call('POST /v1/imports/:id/repair/replace', { id, body: { ...wanted, states, ...given, preview } }, signal);
    const found = await ask(true);
    if (found.rows === 0) return 'Nothing matches in the rows with this problem and state.';
    if (!(await agreed(given.column, found))) return 'Nothing was changed.';
    latest.value = undefined;
    const { rows, ready } = await ask(false);
    return `${counted(rows, 'row')} changed; ${grouped(ready)} of them can be sent.`;
  });
}

/** Lines that are pasted at once: all of their rows are shown. */
const MAX_LINES = 1000;
/** Changes that are shown before they are made. */
const MAX_EXAMPLES = 10;

/** Enters lines in a column, from a row on. */
export function paste(
  { pages, valueNow, edit, carryOut }: Repair,
  lines: readonly string[],
  row: RepairRow,
  column: string,
) {
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
function agreed(
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

/** The way of the spreadsheet: rows are downloaded, corrected and given back. */
function CorrectedFile() {
  const { id, view, carryOut } = useRows();
  const status = [...new Set(view.problems.map((problem) => problem.status))].join(',');
  const download = (format: string) => (
    <a href={addressOf('GET /v1/imports/:id/report', { id, query: { format, status } })} download>
      {format.toUpperCase()}
    </a>
  );
  return (
    <div class="repair-tool col">
      <p>
        Download these rows as {download('xlsx')} or {download('csv')}, correct their cells, keep the columns, and
        choose the file here. Nothing is sent before you send it.
      </p>
      <div class="field col">
        <label for="corrected">Corrected file</label>
        <input
          id="corrected"
          type="file"
          accept=".csv,.xlsx,.ods"
          onChange={({ currentTarget }) => {
            const [body] = currentTarget.files ?? [];
            const path = addressOf('POST /v1/imports/:id/repair/file', { id });
            if (body !== undefined)
              void carryOut(async (signal) => takenWords(await request(path, { method: 'POST', body, signal })));
            // So that the same file can be given again when it has been corrected.
            currentTarget.value = '';
          }}
        />
      </div>
    </div>
  );
}
