/** Rows of an import that are invalid, failed or would fail: corrected in the browser, then sent as an import of their own. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { MAX_UIDS_PER_CALL } from '../../../chat/service/limits.ts';
import { confirmed } from '../../../console/dialog.tsx';
import { Empty, ErrorPlace, foreign, importHref, Pending } from '../../../console/elements.tsx';
import { type Choice, FilterChoice } from '../../../console/form.tsx';
import { columnLabel, fileName } from '../../../console/import-words.ts';
import { usePlace, useTitle } from '../../../console/place.ts';
import { addressOf, call } from '../../../console/requests.ts';
import { useAnswer } from '../../../console/use-answer.ts';
import { SendingFactsOfServer } from '../../../console/view/import/before-sending.tsx';
import { useWork, WorkButton } from '../../../console/work.tsx';
import { counted, grouped } from '../../../text/wording.ts';
import type { RepairView } from '../api.ts';
import { RepairGrid } from './repair-grid.tsx';
import { type RepairRows, useRepairRows } from './repair-rows.ts';
import { RepairTools, useRepairActions } from './repair-tools.tsx';

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
  const error = repair.error.value;
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
  const actions = useRepairActions(repair);
  if (view.rows.total === 0) {
    return (
      <section class="card">
        <Empty>Nothing is left to repair: no row is invalid, has failed, was left out or would fail.</Empty>
      </section>
    );
  }
  const { state = '' } = repair.wanted.value;
  return (
    <>
      <section class="repair-head" aria-label="State">
        <RepairHead repair={repair} view={view} />
      </section>
      <section class="card" aria-label="Rows">
        <div class="filter repair-bar">
          <ProblemChoice repair={repair} view={view} />
          <FilterChoice
            id="repair-state"
            label="Show rows that are"
            value={state}
            choices={STATES}
            onChoose={(value) => repair.choose({ state: value })}
          />
          {isOperator && state !== 'sent' && <RepairTools repair={repair} view={view} actions={actions} />}
        </div>
        <RepairGrid repair={repair} view={view} actions={actions} />
        <p class="note">
          {isOperator
            ? 'Each change is saved and checked when you leave the cell. Lines that you copied from a spreadsheet can be pasted, also more than are shown.'
            : 'Operators can edit these rows, and send them.'}
        </p>
      </section>
    </>
  );
}

function RepairHead({ repair, view }: { repair: RepairRows; view: RepairView }) {
  const { isOperator, param: id } = usePlace();
  const work = useWork();
  const made = useSignal('');
  const sent = useRef<HTMLParagraphElement | null>(null);
  const { total, ready, wrong, sent: gone } = view.rows;
  const open = Math.max(0, total - gone - ready - wrong);
  useEffect(() => sent.current?.focus(), [made.value]);
  const send = () =>
    work.start(async (signal) => {
      await repair.flush();
      await repair.overview();
      const { rows, problems } = repair.view.peek() ?? view;
      const by = problems.filter((problem) => problem.ready > 0);
      const left = rows.total - rows.sent - rows.ready;
      // The destination is that of the import that the rows are from.
      const { profile, host, apps, sandbox } = await call('GET /v1/imports/:id/sending', { id }, signal);
      const calls = Math.ceil(rows.ready / MAX_UIDS_PER_CALL);
      const plan = { rows: rows.ready, messages: rows.ready, calls, profile, host, apps, sandbox };
      const yes = await confirmed({
        question: `Send ${counted(rows.ready, 'repaired row')}?`,
        explanation: (
          <>
            They become an import of their own, with the values that you entered
            {by.length > 0 && ` (${by.map(({ code, ready: n }) => `${grouped(n)} of ${code}`).join(', ')})`}. This
            import and its report stay as they are.{' '}
            {left > 0 && `${counted(left, 'row')} can be repaired and sent later.`}
            <SendingFactsOfServer plan={plan} />
          </>
        ),
        yes: `Send ${counted(rows.ready, 'row')}`,
        no: 'Keep editing',
        tone: 'main',
      });
      if (yes) made.value = (await repair.send()).id;
    });
  return (
    <>
      <p class="sentence" role="status">
        {counted(total, 'row')} to repair: {grouped(ready)} ready to send, {grouped(wrong)} edited and still wrong,{' '}
        {grouped(open)} not edited, {grouped(gone)} sent.
      </p>
      {isOperator && <Saving repair={repair} />}
      {view.failedTaken && <p class="note">Rows that failed were retried as they were: repair them in the retry.</p>}
      {!view.maySend && (
        <p class="note">
          What you enter is kept. Repaired rows can be sent when this import has finished. Until then, a row with edits
          is not sent at all.
        </p>
      )}
      {made.value !== '' && (
        <p class="repaired" tabIndex={-1} ref={sent}>
          The repaired rows were sent: <a href={importHref(made.value)}>see the import of repaired rows</a>.
        </p>
      )}
      {made.value === '' && view.sends.length > 0 && (
        <ul class="plain">
          {view.sends.map(({ importId, rows, by }) => (
            <li key={importId}>
              {counted(rows, 'row')} sent by {by} in <a href={importHref(importId)}>{foreign(importId)}</a>
            </li>
          ))}
        </ul>
      )}
      {isOperator && view.maySend && ready > 0 && (
        <div class="buttons">
          <WorkButton busy={work.busy} kind="main" onClick={() => void send()}>
            Send {counted(ready, 'repaired row')}…
          </WorkButton>
        </div>
      )}
      <ErrorPlace error={work.error} />
    </>
  );
}

/** One problem at a time, or all. */
function ProblemChoice({ repair, view }: { repair: RepairRows; view: RepairView }) {
  const { status = '', code = '', problemColumn = '' } = repair.wanted.value;
  const all = new Map(view.problems.map((problem) => [keyOf(problem), problem]));
  return (
    <FilterChoice
      id="repair-problem"
      label="Problem"
      value={keyOf({ status, code, column: problemColumn })}
      choices={[['', 'all'], ...[...all].map(([key, problem]) => [key, problemText(problem)] as const)]}
      onChoose={(key) => {
        const chosen = all.get(key);
        repair.choose({ status: chosen?.status ?? '', code: chosen?.code ?? '', problemColumn: chosen?.column ?? '' });
      }}
    />
  );
}

function keyOf({ status, code, column }: { status: string; code: string; column: string }) {
  return [status, code, column].filter((part) => part !== '').join(' ');
}

function problemText({ status, code, column, total, ready, wrong, sent }: RepairView['problems'][number]) {
  const counts = [
    `${counted(total, 'row')}${status === 'unprocessed' && code !== '' ? ' would fail' : ''}`,
    ready > 0 && `${grouped(ready)} ready`,
    wrong > 0 && `${grouped(wrong)} still wrong`,
    sent > 0 && `${grouped(sent)} sent`,
  ];
  return `${code || 'edited'}${column === '' ? '' : ` in ${columnLabel(column)}`}: ${counts.filter((part) => part !== false).join(', ')}`;
}

/** Whether what was entered is safe. */
function Saving({ repair }: { repair: RepairRows }) {
  const state = repair.saving.value;
  return (
    <>
      <p class="saving" role="status">
        {state === 'saving' ? 'Saving …' : state === 'saved' ? 'All changes are saved' : 'Not saved'}
      </p>
      <ErrorPlace error={repair.failure.value} />
      {state === 'failed' && (
        <div class="buttons">
          <button type="button" onClick={() => void repair.flush()}>
            Save again
          </button>
          <button type="button" class="quiet" onClick={() => void repair.discard()}>
            Discard these changes
          </button>
        </div>
      )}
    </>
  );
}
