/** Rows of an import that are invalid, failed or would fail: corrected in the browser, then sent as an import of their own. */
import { MAX_UIDS_PER_CALL } from '../../../chat/service/limits.ts';
import { columnLabel, fileName } from '../../../console/import-words.ts';
import { confirmed } from '../../../console/kit/dialog.tsx';
import { Empty, ErrorPlace, foreign, importHref, Pending } from '../../../console/kit/elements.tsx';
import { type Choice, FilterChoice } from '../../../console/kit/form.tsx';
import { useWork, WorkButton } from '../../../console/kit/work.tsx';
import { usePlace, useTitle } from '../../../console/place.ts';
import { addressOf, call, query } from '../../../console/requests.ts';
import { useAnswer } from '../../../console/use-answer.ts';
import { SendingFactsOfServer } from '../../../console/view/import/before-sending.tsx';
import { counted, grouped } from '../../../text/wording.ts';
import type { RepairView } from '../api.ts';
import { type RepairRows, useRepairRows } from './repair-rows.ts';
import { RepairTable } from './repair-table.tsx';
import { RepairTools } from './repair-tools.tsx';

const STATES: Choice[] = [
  ['', 'not sent'],
  ['open', 'not edited'],
  ['wrong', 'edited and still wrong'],
  ['ready', 'ready to send'],
  ['sent', 'sent'],
];

export function RepairPage() {
  const { param: id } = usePlace();
  const repair = useRepairRows();
  const { data } = useAnswer(addressOf('GET /v1/imports/:id', { id }));
  useTitle(data === undefined ? '' : `Repair ${fileName(data.file)}`);
  const view = repair.view.value;
  const error = repair.error.value ?? repair.pages.error;
  return (
    <>
      <p class="kicker">
        <a href="/imports">Imports</a> /{' '}
        <a href={importHref(id)}>{foreign(data === undefined ? id : fileName(data.file))}</a>
      </p>
      <h1 tabIndex={-1}>Repair rows</h1>
      <div class="stack">
        {error !== undefined || view === undefined ? <Pending error={error} /> : <Repair repair={repair} view={view} />}
      </div>
    </>
  );
}

function Repair({ repair, view }: { repair: RepairRows; view: RepairView }) {
  const { isOperator } = usePlace();
  if (view.rows.total === 0) {
    return (
      <section class="card">
        <Empty>Nothing is left to repair: no row is invalid, has failed, was left out or would fail.</Empty>
      </section>
    );
  }
  return (
    <>
      <section class="repair-head" aria-label="State">
        <RepairHead repair={repair} view={view} />
      </section>
      <section class="card" aria-label="Rows">
        <Filters repair={repair} view={view} />
        {isOperator && repair.wanted.value['state'] !== 'sent' && <RepairTools view={view} repair={repair} />}
        <RepairTable view={view} repair={repair} />
        <p class="note">
          {isOperator
            ? 'A value is saved and checked when you leave it. Enter goes to the row below. A column copied from a spreadsheet can be pasted.'
            : 'Operators can edit these rows, and send them.'}
        </p>
      </section>
    </>
  );
}

function RepairHead({ repair, view }: { repair: RepairRows; view: RepairView }) {
  const { isOperator, param: id, go } = usePlace();
  const work = useWork();
  const { total, ready, wrong, sent } = view.rows;
  const failure = repair.failure.value;
  const isSaved = repair.unsaved.value.length === 0;
  const send = () =>
    work.start(async (signal) => {
      await repair.allSaved();
      const { rows } = (await repair.overview()) ?? view;
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
      if (yes) go(importHref((await repair.send()).id));
    });
  return (
    <>
      <p class="sentence" role="status">
        {counted(total, 'row')} to repair: {grouped(ready)} ready to send, {grouped(wrong)} edited and still wrong,{' '}
        {grouped(Math.max(0, total - sent - ready - wrong))} not edited, {grouped(sent)} sent.
      </p>
      {isOperator && (
        <p role="status">{isSaved ? 'All changes are saved' : failure === undefined ? 'Saving …' : 'Not saved'}</p>
      )}
      {view.failedTaken && <p class="note">Rows that failed were retried as they were: repair them in the retry.</p>}
      {!view.maySend && (
        <p class="note">
          What you enter is kept. Repaired rows can be sent when this import has finished. Until then, a row with edits
          is not sent at all.
        </p>
      )}
      {isOperator && view.maySend && ready > 0 && (
        <div class="buttons">
          <WorkButton busy={work.busy} kind="main" onClick={() => void send()}>
            Send {counted(ready, 'repaired row')}…
          </WorkButton>
        </div>
      )}
      {failure !== undefined && (
        <button type="button" onClick={() => void repair.save()}>
          Save again
        </button>
      )}
      <ErrorPlace error={failure ?? work.error} />
    </>
  );
}

/** One problem at a time, or all; and what was done about it. */
function Filters({ repair, view }: { repair: RepairRows; view: RepairView }) {
  const { state = '', ...problem } = repair.wanted.value;
  const problems = view.problems.map((one) => {
    const { status, code, column } = one;
    return [query({ status, code, problemColumn: column }), problemText(one)] as const;
  });
  return (
    <div class="filter repair-bar">
      <FilterChoice
        id="repair-problem"
        label="Problem"
        value={query(problem)}
        choices={[['', 'all'], ...problems]}
        onChoose={(chosen) =>
          repair.choose({ ...Object.fromEntries(new URLSearchParams(chosen)), ...(state && { state }) })
        }
      />
      <FilterChoice
        id="repair-state"
        label="Show rows that are"
        value={state}
        choices={STATES}
        onChoose={(chosen) => repair.choose({ ...problem, ...(chosen && { state: chosen }) })}
      />
    </div>
  );
}

function problemText({ code, column, total, ready, sent }: RepairView['problems'][number]) {
  const where = column === '' ? '' : ` in ${columnLabel(column)}`;
  const left = total - ready - sent;
  return `${code || 'edited'}${where}: ${counted(total, 'row')}${left === total ? '' : `, ${grouped(left)} left`}`;
}
