/** The work on many rows that are corrected: found and replaced, pasted, given back in a file, and sent. */

import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import type { SentFor } from '../../../api/operation.ts';
import { MAX_UIDS_PER_CALL } from '../../../chat/service/limits.ts';
import { columnChoices, columnLabel } from '../../../console/import-words.ts';
import { ask, confirmed, Menu, WorkButton } from '../../../console/kit/actions.tsx';
import { ErrorPlace, foreign, importHref } from '../../../console/kit/elements.tsx';
import { usePlace } from '../../../console/place.ts';
import { addressOf, call, request } from '../../../console/requests.ts';
import { SendingFactsOfServer } from '../../../console/view/import/before-sending.tsx';
import { Download, linksOf } from '../../../console/view/import/downloads.tsx';
import { counted, grouped } from '../../../text/wording.ts';
import type { CorrectionRow, correctionOperations, TakenEdits } from '../operations.ts';
import { takenWords } from '../taken-words.ts';
import { type Corrections, useList } from './corrections.ts';

/** @param isHiding whether columns that need no correction are hidden */
export function ManyRows({ isHiding }: { isHiding: boolean }) {
  const { isOperator, go } = usePlace();
  const corrections = useList();
  const { overview, error, pages, filter, edits, done, showsAll, work, view } = corrections;
  const { total, ready, wrong, sent } = overview.rows;
  const replacing = useReplacing();
  const failure = edits.failure.value;
  // What the list says in place of its rows is not said twice.
  const problem = failure ?? work.error ?? error;
  const fitting = pages.shown.total;
  const counts = [
    [ready, 'ready to send'],
    [wrong, 'edited and still wrong'],
    [total - sent - ready - wrong, 'not edited'],
    [sent, 'sent'],
  ] as const;
  const said = counts.flatMap(([rows, words]) => (rows > 0 ? `${grouped(rows)} ${words}` : []));
  return (
    <>
      <p class="note" role="status">
        {counted(total, 'row')} to correct{total > 0 && `: ${said.join(', ')}`}.{' '}
        {pages.isOld
          ? 'Searching … '
          : fitting !== null && fitting < total - sent && `${grouped(fitting)} fit this filter. `}
        {isOperator ? savedWords(corrections) : 'Operators can edit these rows, and send them.'}
        {overview.failedTaken && ' Rows that failed were retried as they were: correct them in the retry.'}
        {!overview.maySend &&
          ' Corrected rows can be sent when this import has finished. Until then, a row with edits is not sent at all.'}
        {!overview.maySend && view.state === 'staged' && view.rows.read > total && ' Send the other rows first.'}
      </p>
      {isOperator && (
        <div class="rows-actions buttons row">
          {(isHiding || showsAll.value) && (
            <button
              type="button"
              onClick={() => {
                showsAll.value = !showsAll.value;
              }}
            >
              {showsAll.value ? 'Fewer columns' : 'All columns'}
            </button>
          )}
          {filter.values['state'] !== 'sent' && (
            <>
              <WorkButton busy={work.busy} onClick={() => void replacing()}>
                Find and replace…
              </WorkButton>
              <Menu label="With a spreadsheet">
                <CorrectedFile />
              </Menu>
            </>
          )}
          {failure !== undefined && (
            <button type="button" onClick={() => void edits.save()}>
              Save again
            </button>
          )}
          {overview.maySend && ready > 0 && (
            // Before the rows are there, nothing was looked at that could be sent.
            <WorkButton
              busy={work.busy || pages.shown.items === undefined}
              kind="main"
              onClick={() => void send(corrections, go)}
            >
              Send {counted(ready, 'corrected row')}…
            </WorkButton>
          )}
        </div>
      )}
      <ErrorPlace error={problem === pages.shown.error ? undefined : problem} />
      <div role="status">
        {done.value.map((line, at) => (
          <p key={at} class={at > 0 ? 'attention' : ''}>
            {foreign(line)}
          </p>
        ))}
      </div>
    </>
  );
}

function savedWords({ overview, edits: { unsaved, failure } }: Corrections) {
  if (unsaved.value.length > 0) return failure.value === undefined ? 'Saving …' : 'Not saved.';
  const { ready, wrong } = overview.rows;
  return ready + wrong === 0 ? 'A value is saved and checked when you leave it.' : 'All changes are saved.';
}

/** Sends what is ready, if it is what is shown, and goes to the import that it became. */
function send({ overview, question, view: { id }, carryOut }: Corrections, go: (path: string) => void) {
  return carryOut(async (signal) => {
    const { rows, revision } = question.data.peek() ?? overview;
    const { ready, sent, total } = rows;
    const left = total - sent - ready;
    // The destination is that of the import that the rows are from.
    const { profile, host, apps, sandbox } = await call('GET /v1/imports/:id/sending', { id }, signal);
    const plan = { rows: ready, calls: Math.ceil(ready / MAX_UIDS_PER_CALL), profile, host, apps, sandbox };
    const yes = await confirmed({
      question: `Send ${counted(ready, 'corrected row')}?`,
      explanation: (
        <>
          They become an import of their own, with their new values. This import and its report stay as they are.{' '}
          {left > 0 && `${counted(left, 'row')} can be corrected and sent later.`}
          <SendingFactsOfServer plan={plan} />
        </>
      ),
      yes: `Send ${counted(ready, 'row')}`,
      no: 'Keep editing',
      tone: 'main',
    });
    if (!yes) return [];
    const made = await call('POST /v1/imports/:id/corrections/send', { id, query: { revision } }, signal);
    go(importHref(made.id));
    return [];
  });
}

/** Gives what finds and replaces in the rows that pass the filter, after a look at what would change; it is asked again with what was entered. */
function useReplacing() {
  const { view, overview, filter, carryOut } = useList();
  const { id } = view;
  const names = overview.columns.map(({ name }) => name);
  const column =
    overview.problems.map((problem) => problem.column).find((one) => names.includes(one)) ?? names[0] ?? '';
  const entered = useRef<Readonly<Record<string, string>>>({ column, as: 'text' });
  const replacing = () =>
    carryOut(async (signal) => {
      const given = await ask({
        question: 'Find and replace',
        explanation: 'In all rows that pass the filter. Upper and lower case count.',
        fields: {
          column: { label: 'In column', choices: columnChoices(names) },
          as: {
            label: 'Match',
            choices: [
              ['text', 'anywhere in the value'],
              ['cell', 'the whole value'],
            ],
          },
          from: { label: 'Find', isExact: true },
          to: { label: 'Replace with', isExact: true },
        },
        initial: entered.current,
        yes: 'Preview…',
        no: 'Close',
      });
      if (given === undefined) return [];
      entered.current = given;
      const { state, ...wanted } = filter.set;
      const body = { ...wanted, ...given, states: state?.split(',') } as SentFor<
        typeof correctionOperations.replace
      >['body'];
      const change = (preview: boolean) =>
        call('POST /v1/imports/:id/corrections/replace', { id, body: { ...body, preview } }, signal);
      const found = await change(true);
      if (found.rows === 0) return 'Nothing matches in the rows that pass the filter.';
      if (!(await agreed(body.column, found))) return 'Nothing was changed.';
      const { rows, ready } = await change(false);
      return `${counted(rows, 'row')} changed; ${grouped(ready)} of them can be sent.`;
    });
  return replacing;
}

/** The way of the spreadsheet: the rows are downloaded, corrected and given back; or a column is copied there. */
function CorrectedFile() {
  const { view, overview, filter, carryOut } = useList();
  const { id } = view;
  const status = [...new Set(overview.problems.map((problem) => problem.status))].join(',');
  const { state: _, ...wanted } = filter.set;
  const report = (format: string) =>
    addressOf('GET /v1/imports/:id/report', { id, query: { status, ...wanted, format } });
  return (
    <ul class="downloads plain lined">
      <Download
        name="1. Download these rows"
        note="Correct their cells, and keep the columns."
        links={linksOf(['xlsx', 'csv'], report)}
      />
      <li>
        <label for="corrected">
          <b>2. Corrected file</b>
          <span class="note">Nothing is sent before you send it.</span>
        </label>
        <input
          id="corrected"
          type="file"
          accept=".csv,.xlsx,.ods"
          onChange={({ currentTarget }) => {
            const [body] = currentTarget.files ?? [];
            const path = addressOf('POST /v1/imports/:id/corrections/file', { id });
            if (body !== undefined)
              void carryOut(async (signal) => takenWords(await request(path, { method: 'POST', body, signal })));
            // So that the same file can be given again when it has been corrected.
            currentTarget.value = '';
          }}
        />
      </li>
      <li>
        <div>
          <b>Or paste a column</b>
          <span class="note">
            Copy it there, and paste it into a field: its lines go into that row and those below it.
          </span>
        </div>
      </li>
    </ul>
  );
}

/** Lines that are pasted at once: all of their rows are shown. */
const MAX_LINES = 1000;
/** Changes that are shown before they are made. */
const MAX_EXAMPLES = 10;

/** Enters lines in a column, from a row on. */
export function paste(
  { pages, valueNow, edit, carryOut }: Corrections,
  lines: readonly string[],
  row: CorrectionRow,
  column: string,
) {
  return carryOut(async (signal) => {
    if (lines.some((line) => line.includes('\t'))) return 'Nothing was entered: copy one column at a time.';
    const below = () => (pages.shown.items ?? []).filter((one) => one.row >= row.row && one.state !== 'sent');
    const wanted = Math.min(lines.length, MAX_LINES);
    await pages.moreUntil(() => below().length >= wanted, signal);
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
  { rows, examples }: Pick<TakenEdits, 'rows' | 'examples'>,
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
