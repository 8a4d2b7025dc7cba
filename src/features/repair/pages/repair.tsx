/** Rows of an import that are invalid, failed or would fail: corrected in the browser, one by one or many at once, then sent as an import of their own. */

import type { SentFor } from '../../../api/operation.ts';
import { MAX_UIDS_PER_CALL } from '../../../chat/service/limits.ts';
import { columnChoices, fileName } from '../../../console/import-words.ts';
import { confirmed, EntryForm, WorkButton } from '../../../console/kit/actions.tsx';
import { Empty, ErrorPlace, foreign, importHref, Pending } from '../../../console/kit/elements.tsx';
import { usePlace, useTitle } from '../../../console/place.ts';
import { addressOf, call, request } from '../../../console/requests.ts';
import { useAnswer } from '../../../console/use-answer.ts';
import { SendingFactsOfServer } from '../../../console/view/import/before-sending.tsx';
import { counted, grouped } from '../../../text/wording.ts';
import type { repairOperations } from '../operations.ts';
import { takenWords } from '../taken-words.ts';
import { RepairContext, useRepair, useRows } from './repair-rows.ts';
import { agreed, RepairTable } from './repair-table.tsx';

export function RepairPage() {
  const { param: id } = usePlace();
  const repair = useRepair();
  const { view, error } = repair;
  const { data } = useAnswer(addressOf('GET /v1/imports/:id', { id }));
  useTitle(data === undefined ? '' : `Repair ${fileName(data.file)}`);
  return (
    <>
      <p class="note">
        <a href="/imports">Imports</a> /{' '}
        <a href={importHref(id)}>{foreign(data === undefined ? id : fileName(data.file))}</a>
      </p>
      <h1 tabIndex={-1}>Repair rows</h1>
      <div class="stack">
        {error !== undefined || view === undefined ? (
          <Pending error={error} />
        ) : (
          <RepairContext.Provider value={{ ...repair, view }}>
            <Repair />
          </RepairContext.Provider>
        )}
      </div>
    </>
  );
}

function Repair() {
  const { isOperator } = usePlace();
  const { view, filter, work } = useRows();
  if (view.rows.total === 0) {
    return (
      <section class="card col">
        <Empty>Nothing is left to repair: no row is invalid, has failed, was left out or would fail.</Empty>
      </section>
    );
  }
  return (
    <>
      <section class="repair-head row" aria-label="State">
        <RepairHead />
      </section>
      <section class="card col" aria-label="Rows">
        <RepairTable>
          <p class="note">
            {isOperator
              ? 'A value is saved and checked when you leave it. Enter goes to the row below. A column copied from a spreadsheet can be pasted.'
              : 'Operators can edit these rows, and send them.'}
          </p>
          {isOperator && filter.values['state'] !== 'sent' && <RepairTools />}
          <ErrorPlace error={work.error} />
        </RepairTable>
      </section>
    </>
  );
}

function RepairHead() {
  const { isOperator, go } = usePlace();
  const { id, view, pages, edits, work, send, seen } = useRows();
  const { total, ready, wrong, sent } = view.rows;
  const failure = edits.failure.value;
  const sendAsked = () =>
    work.start(async (signal) => {
      await edits.allSaved();
      const { rows } = seen.current ?? view;
      const left = rows.total - rows.sent - rows.ready;
      // The destination is that of the import that the rows are from.
      const { profile, host, apps, sandbox } = await call('GET /v1/imports/:id/sending', { id }, signal);
      const calls = Math.ceil(rows.ready / MAX_UIDS_PER_CALL);
      const plan = { rows: rows.ready, calls, profile, host, apps, sandbox };
      const yes = await confirmed({
        question: `Send ${counted(rows.ready, 'repaired row')}?`,
        explanation: (
          <>
            They become an import of their own, with their new values. This import and its report stay as they are.{' '}
            {left > 0 && `${counted(left, 'row')} can be repaired and sent later.`}
            <SendingFactsOfServer plan={plan} />
          </>
        ),
        yes: `Send ${counted(rows.ready, 'row')}`,
        no: 'Keep editing',
        tone: 'main',
      });
      if (yes) go(importHref((await send(signal)).id));
    });
  return (
    <>
      <p class="sentence" role="status">
        {counted(total, 'row')} to repair: {grouped(ready)} ready to send, {grouped(wrong)} edited and still wrong,{' '}
        {grouped(total - sent - ready - wrong)} not edited, {grouped(sent)} sent.
      </p>
      {isOperator && (
        <p role="status">
          {edits.unsaved.value.length === 0
            ? 'All changes are saved'
            : failure === undefined
              ? 'Saving …'
              : 'Not saved'}
        </p>
      )}
      {view.failedTaken && <p class="note">Rows that failed were retried as they were: repair them in the retry.</p>}
      {!view.maySend && (
        <p class="note">
          What you enter is kept. Repaired rows can be sent when this import has finished. Until then, a row with edits
          is not sent at all.
        </p>
      )}
      {isOperator && view.maySend && ready > 0 && (
        <div class="buttons row">
          {/* Before the rows are there, nothing was looked at that could be sent. */}
          <WorkButton busy={work.busy || pages.shown.items === undefined} kind="main" onClick={sendAsked}>
            Send {counted(ready, 'repaired row')}…
          </WorkButton>
        </div>
      )}
      {failure !== undefined && (
        <button type="button" onClick={() => void edits.save()}>
          Save again
        </button>
      )}
      <ErrorPlace error={failure} />
    </>
  );
}

function RepairTools() {
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

/** Finds and replaces in the rows that pass the filter, after a look at what would change. */
function FindReplace() {
  const { id, view, wanted, carryOut } = useRows();
  const names = view.columns.map(({ name }) => name);
  const column = view.problems.map((problem) => problem.column).find((one) => names.includes(one)) ?? names[0] ?? '';
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
      onSend={(given) =>
        carryOut(async (signal) => {
          const { state, ...filter } = wanted;
          const body = { ...filter, ...(state && { states: [state] }), ...given } as SentFor<
            typeof repairOperations.replace
          >['body'];
          const ask = (preview: boolean) =>
            call('POST /v1/imports/:id/repair/replace', { id, body: { ...body, preview } }, signal);
          const found = await ask(true);
          if (found.rows === 0) return 'Nothing matches in the rows with this problem and state.';
          if (!(await agreed(body.column, found))) return 'Nothing was changed.';
          const { rows, ready } = await ask(false);
          return `${counted(rows, 'row')} changed; ${grouped(ready)} of them can be sent.`;
        })
      }
    />
  );
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
    <div class="col">
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
