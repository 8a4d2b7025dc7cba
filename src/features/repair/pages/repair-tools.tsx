/** Many rows at once: a pasted column, find and replace, a corrected file. Each says first what it would change. */
import { useSignal } from '@preact/signals';
import { columnLabel } from '../../../console/import-words.ts';
import { confirmed } from '../../../console/kit/dialog.tsx';
import { ErrorPlace, foreign } from '../../../console/kit/elements.tsx';
import { SelectField, TextField, useForm } from '../../../console/kit/form.tsx';
import { usePlace } from '../../../console/place.ts';
import { addressOf } from '../../../console/requests.ts';
import { counted, grouped } from '../../../text/wording.ts';
import type { RepairReplaced, RepairRow, RepairTaken, RepairView } from '../api.ts';
import type { RepairRows } from './repair-rows.ts';

const MATCHES: readonly (readonly [string, string])[] = [
  ['text', 'anywhere in the value'],
  ['cell', 'the whole value'],
];

/** Lines that are pasted at once: all of their rows are shown. */
const MAX_LINES = 1000;

/** Enters lines in a column, from a row on. @returns what was done */
export async function paste(repair: RepairRows, lines: readonly string[], row: RepairRow, column: string) {
  if (lines.some((line) => line.includes('\t'))) return 'Nothing was entered: copy one column at a time.';
  const below = () => {
    const rows = repair.pages.items ?? [];
    return rows.slice(rows.findIndex((one) => one.row === row.row)).filter(({ state }) => state !== 'sent');
  };
  const wanted = Math.min(lines.length, MAX_LINES);
  while (below().length < wanted && repair.pages.hasMore) await repair.pages.more();
  const rows = below().slice(0, wanted);
  const left = lines.length - rows.length;
  const yes = await confirmed({
    question: `Enter ${left > 0 ? `${grouped(rows.length)} of ` : ''}${counted(lines.length, 'line')} in ${columnLabel(column)}?`,
    explanation: [
      `They go into row ${grouped(row.line)} and those below it, up to row ${grouped(rows.at(-1)?.line ?? 0)}. `,
      left > 0 && [
        `${counted(left, 'line')} ${left === 1 ? 'is' : 'are'} left out, from “`,
        foreign(lines[rows.length] ?? ''),
        '” on',
      ],
      left > 0 && (rows.length === MAX_LINES ? ': for more, correct a file.' : ': there is no row below.'),
    ],
    yes: `Enter ${counted(rows.length, 'line')}`,
    no: 'Enter nothing',
    tone: 'main',
  });
  if (!yes) return 'Nothing was entered.';
  await repair.edit(rows.map((one, index) => ({ row: one, column, value: lines[index] ?? '' })));
  return '';
}

/** Finds and replaces, after a look at what would change. @returns what was done */
export async function replace(repair: RepairRows, given: Readonly<Record<string, string | null>>) {
  const found = await repair.replace(given, true);
  if (found.rows === 0) return 'Nothing matches in the rows with this problem and state.';
  const yes = await confirmed({
    question: `Change ${columnLabel(given['column'] ?? '')} in ${counted(found.rows, 'row')}?`,
    explanation: examplesOf(found),
    yes: `Change ${counted(found.rows, 'row')}`,
    no: 'Change nothing',
    tone: 'main',
  });
  if (!yes) return 'Nothing was changed.';
  const { rows, ready } = await repair.replace(given, false);
  return `${counted(rows, 'row')} changed; ${grouped(ready)} of them can be sent.`;
}

function examplesOf({ rows, examples }: RepairReplaced) {
  return (
    <>
      {rows > examples.length && `The first ${grouped(examples.length)} of them:`}
      <ul class="plain">
        {examples.map(({ line, from, to }) => (
          <li key={line}>
            Row {grouped(line)}: <code>{foreign(from) ?? 'empty'}</code> becomes <code>{foreign(to) ?? 'empty'}</code>
          </li>
        ))}
      </ul>
    </>
  );
}

interface ToolProperties {
  view: RepairView;
  repair: RepairRows;
}

export function RepairTools({ view, repair }: ToolProperties) {
  return (
    <div class="repair-tools">
      <details>
        <summary>Find and replace</summary>
        <FindReplace view={view} repair={repair} />
      </details>
      <details>
        <summary>With a spreadsheet</summary>
        <CorrectedFile view={view} repair={repair} />
      </details>
      <p class="done" role="status">
        {foreign(repair.done.value)}
      </p>
      <ErrorPlace error={repair.failed.value} />
    </div>
  );
}

function FindReplace({ view, repair }: ToolProperties) {
  const names = view.columns.map(({ name }) => name).filter((name) => name !== '_from_row' && name !== '_edited');
  const [first = names[0] ?? ''] = view.problems.map(({ column }) => column).filter((column) => names.includes(column));
  const form = useForm({ column: first, as: 'text', from: '', to: '' });
  return (
    <form
      class="repair-tool"
      onSubmit={(event) => {
        event.preventDefault();
        void repair.carryOut(() => replace(repair, form.values.peek()));
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
      <p class="note">Upper and lower case count.</p>
      <button type="submit">Preview…</button>
    </form>
  );
}

/** The way of the spreadsheet: rows are downloaded, corrected and given back. */
function CorrectedFile({ view, repair }: ToolProperties) {
  const { param: id } = usePlace();
  const taken = useSignal<RepairTaken | undefined>(undefined);
  const status = [...new Set(view.problems.map((problem) => problem.status))].join(',');
  const download = (format: string) => addressOf('GET /v1/imports/:id/report', { id, query: { format, status } });
  return (
    <div class="repair-tool">
      <p>
        Download these rows as{' '}
        <a href={download('xlsx')} download>
          XLSX
        </a>{' '}
        or{' '}
        <a href={download('csv')} download>
          CSV
        </a>
        , correct their cells, keep the columns, and choose the file here. Nothing is sent before you send it.
      </p>
      <div class="field">
        <label for="corrected">Corrected file</label>
        <input
          id="corrected"
          type="file"
          accept=".csv,.xlsx,.ods"
          onChange={({ currentTarget }) => {
            const [file] = currentTarget.files ?? [];
            if (file === undefined) return;
            taken.value = undefined;
            void repair.carryOut(async () => {
              taken.value = await repair.takeFile(file);
              currentTarget.value = '';
              return '';
            });
          }}
        />
      </div>
      <div role="status">{taken.value !== undefined && <Taken {...taken.value} />}</div>
    </div>
  );
}

function Taken({ rows, cells, same, refused, refusedRows, wrong }: RepairTaken) {
  return (
    <ul>
      <li>
        {counted(cells, 'cell')} in {counted(rows, 'row')} taken; {counted(same, 'row')} unchanged;{' '}
        {counted(refusedRows, 'row')} refused.
      </li>
      {refused.map(({ line, column, reason }) => (
        <li key={`${line} ${column}`} class="attention">
          Row {grouped(line)}: {foreign(columnLabel(column))} is not taken: {foreign(reason)}.
        </li>
      ))}
      {wrong.map(({ line, problems }) => (
        <li key={line} class="attention">
          Row {grouped(line)} is still wrong: {foreign(problems.map(({ reason }) => reason).join('; '))}
        </li>
      ))}
    </ul>
  );
}
