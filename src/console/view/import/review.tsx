/** The review of a file that was read: its rows, what sending them takes, the choices for it, and the one button that sends. */
import { useEffect } from 'preact/hooks';
import { IMPORTS_PER_MINUTE } from '../../../chat/service/limits.ts';
import { creatingMissing, ImportCheck, useCheck } from '../../../features/check/page.tsx';
import { sumOfOutcomes } from '../../../membership/outcome.ts';
import { BAN_CHECKS } from '../../../options/labels.ts';
import { counted } from '../../../text/wording.ts';
import type { ImportView } from '../../answers.ts';
import { stateSentence } from '../../import-words.ts';
import { forget, useEntry } from '../../kept-entries.ts';
import { useKeptFocus, useWork, WorkButton } from '../../kit/actions.tsx';
import {
  Card,
  ErrorPlace,
  Facts,
  FileNotes,
  importHref,
  OutcomeBar,
  Pending,
  repairHref,
  Steps,
} from '../../kit/elements.tsx';
import { Drawer, Fields, Form } from '../../kit/form.tsx';
import { usePlace } from '../../place.ts';
import { addressOf, call } from '../../requests.ts';
import { useAnswer } from '../../use-answer.ts';
import { beside } from '../upload/columns-step.tsx';
import { Creating, creatingField } from '../upload/creating-fields.tsx';
import { BackToColumns, useColumnsOf } from '../upload/file-choice.tsx';
import { changedOf, FAILING, type Failing, resumeChoices, reviewSentence, sendLabel } from '../upload/steps.ts';
import { IMPORT } from '../upload/upload-entry.ts';
import { factsOf } from './before-sending.tsx';

import { Reason } from './import-head.tsx';
import { ImportProblems } from './import-problems.tsx';
import type { LiveImport } from './live-import.ts';
import type { RowsWanted } from './rows-wanted.tsx';
import { decisionOf, ImportActions, useActing } from './ways.tsx';

interface ReviewProperties {
  id: string;
  live: LiveImport;
  filter: RowsWanted;
}

/** The way through the steps, above the page of a file that nothing was sent of. */
export function ReviewSteps({ id }: { id: string }) {
  const columns = useColumnsOf(IMPORT, importHref(id));
  return <Steps names={IMPORT.steps} at={2} hrefs={[undefined, columns ?? undefined]} />;
}

export function Review({ id, live, filter }: ReviewProperties) {
  const view = live.view.value;
  return view === undefined ? null : <Reviewed id={id} live={live} filter={filter} view={view} />;
}

function Reviewed({ id, live, filter, view }: ReviewProperties & { view: ImportView }) {
  const { isOperator } = usePlace();
  const checking = useCheck(id, live, view.hasCheck === true);
  const place = `review ${id}`;
  const { form } = useEntry(place, () => keptChoices(place));
  const wouldFail = view.checkedRows?.wouldFail ?? 0;
  const missing = creatingMissing(checking.check?.summary);
  const failing = wouldFail === 0 ? '' : failingOf(form.get('failing'), wouldFail < view.rows.read);
  const choices = resumeChoices(form.read(), failing, missing?.choices);
  const plan = useAnswer(addressOf('GET /v1/imports/:id/sending', { id, query: planned(choices) }));
  useEffect(() => void plan.reload(), [view.edited, view.checkedRows?.at]);
  const facts = plan.data && [
    ...factsOf(plan.data),
    ['Banned users', bansText(form)] as const,
    ['Created', createdText(form, failing)] as const,
    ['The other way', otherWay(view, plan.data.silent)] as const,
  ];
  return (
    <div class="review">
      <div class="stack">
        <div class="card">
          <section class="state" aria-label="State">
            <div>
              <p class="sentence" id="state">
                {view.maxRemovals === undefined ? reviewSentence(view) : stateSentence(view)}
              </p>
              <Reason view={view} />
              {sumOfOutcomes(view.rows) > 0 && <OutcomeBar name="All rows by outcome" rows={view.rows} />}
              {facts === undefined ? <Pending error={plan.error} /> : <Facts list={facts} class="facts roomy" />}
              <FileNotes notes={view.notes ?? []} />
            </div>
          </section>
        </div>
        <ImportProblems id={id} live={live} filter={filter} />
        <Card id="check" title="Check with the service">
          <ImportCheck id={id} filter={filter} checking={checking} />
        </Card>
      </div>
      {isOperator && (
        <Card id="sending" title="Send">
          <div class="sending">
            {wouldFail > 0 && <FailingChoice form={form} wouldFail={wouldFail} missing={missing?.what} />}
            {plan.data?.rows !== 0 && (
              <>
                {failing === '' && <Creating form={form} />}
                <Choices form={form} />
              </>
            )}
            <SendButton view={view} live={live} form={form} rows={plan.data?.rows} choices={choices} place={place} />
            <ImportActions live={live} filter={filter} />
          </div>
        </Card>
      )}
    </div>
  );
}

const OFTEN = ['maxErrors', 'first'];
const SELDOM = {
  giveUpAfter: {},
  onlyGroups: {
    label: 'Send only these groups',
    placeholder: 'choir, team',
    note: 'The others wait until you resume.',
  },
};

function Choices({ form }: { form: Form }) {
  return (
    <>
      <div class="fields two">
        <Fields form={form} fields={OFTEN} />
      </div>
      <Drawer title="More choices" changed={changedOf(Object.keys({ ...SELDOM, ...BAN_CHECKS }), form.values.value)}>
        <div class="fields">
          <Fields form={form} fields={SELDOM} />
          <Fields form={form} fields={Object.keys(BAN_CHECKS)} />
        </div>
      </Drawer>
    </>
  );
}

interface SendButtonProperties {
  view: ImportView;
  live: LiveImport;
  form: Form;
  /** Undefined: not known yet. */
  rows: number | undefined;
  choices: Readonly<Record<string, string>>;
  place: string;
}

function SendButton({ view, live, form, rows, choices, place }: SendButtonProperties) {
  const work = useWork();
  const acting = useActing(live, view);
  const decision = decisionOf(view);
  const buttons = useKeptFocus();
  const { id } = view;
  const send = () =>
    work.start(async (signal) => {
      form.clearErrors();
      // Removals and bans are agreed to on their own.
      if (decision !== undefined)
        return acting.act('resume', { ...decision, choices: { ...choices, ...decision.choices } });
      try {
        await call('POST /v1/imports/:id/resume', { id, query: choices }, signal);
      } catch (error) {
        if (!beside(error, form, (name) => (name === 'only' ? 'onlyGroups' : creatingField(name, form)))) throw error;
        return;
      }
      // Only then: with other choices, the page would ask what sending takes while it is under way.
      await live.load(signal);
      forget(place);
    });
  return (
    <>
      <ErrorPlace error={work.error ?? acting.work.error} />
      <div class="buttons" ref={buttons}>
        {rows === 0 && <BackToColumns kind={IMPORT} href={importHref(id)} isMain />}
        <WorkButton
          busy={work.busy || acting.work.busy || rows === undefined}
          kind={rows === 0 ? '' : 'main'}
          onClick={send}
        >
          {decision === undefined ? sendLabel(rows, form.values.value) : `${decision.yes}…`}
        </WorkButton>
        {view.rows.invalid + (view.checkedRows?.wouldFail ?? 0) > 0 && (
          <a class="button" href={repairHref(id)}>
            Repair rows…
          </a>
        )}
      </div>
    </>
  );
}

const FAILING_LABELS: Readonly<Record<Failing, string>> = {
  leaveOut: 'Leave them out',
  create: 'Create',
  send: 'Send them as well',
};

function FailingChoice({ form, wouldFail, missing }: { form: Form; wouldFail: number; missing: string | undefined }) {
  const offered = FAILING.filter((one) => one !== 'create' || missing !== undefined);
  const chosen = failingOf(form.get('failing'), true);
  return (
    <fieldset class="failing">
      <legend>{counted(wouldFail, 'row')} would fail</legend>
      {offered.map((one) => (
        <div key={one} class="check">
          <input
            type="radio"
            name="failing"
            id={`failing-${one}`}
            checked={chosen === one}
            onChange={() => form.set('failing', one)}
          />
          <label for={`failing-${one}`}>{one === 'create' ? `Create ${missing}` : FAILING_LABELS[one]}</label>
        </div>
      ))}
      {chosen === 'create' && (
        <p class="note">
          They get the names that the file has for them; where it has none, their id is their name, which everyone sees.
          Undoing the import does not delete them.
        </p>
      )}
    </fieldset>
  );
}

/** Rows that would fail are left out unless a person says otherwise, or nothing else is left. */
function failingOf(chosen: string, hasOthers: boolean): Failing {
  return FAILING.find((one) => one === chosen) ?? (hasOthers ? 'leaveOut' : 'send');
}

/** The part of the choices that the plan depends on. */
function planned({ leaveOutFailing, maxCreate, createUsers, createGroups }: Readonly<Record<string, string>>) {
  return {
    ...(leaveOutFailing !== undefined && { leaveOutFailing }),
    ...(maxCreate !== undefined &&
      /^users=\d+,groups=\d+$/.test(maxCreate) && { createUsers, createGroups, maxCreate }),
  };
}

/** Both ways add the same members; the way is chosen with the columns. */
function otherWay({ ways }: ImportView, isSilent: boolean) {
  if (ways === undefined) return false;
  const { added, silent } = ways;
  return isSilent
    ? `with ${counted(added.messages, 'message')} in groups, ${counted(added.calls, 'call')}`
    : `without messages, ${counted(silent.calls, 'call')}, at most ${IMPORTS_PER_MINUTE} a minute: choose it with the columns`;
}

function bansText(form: Form) {
  const lifts = Object.keys(BAN_CHECKS).some((name) => form.get(name) === 'true');
  return lifts ? 'are added, which lifts their ban' : 'stay banned: their rows fail';
}

function createdText(form: Form, failing: Failing | '') {
  if (failing === 'create') return 'what the check found missing';
  const what = [form.get('createUsers') === 'true' && 'users', form.get('createGroups') === 'true' && 'groups'].filter(
    (part) => part !== false,
  );
  return what.length === 0 || failing !== '' ? 'nothing' : `${what.join(' and ')} that the service does not know`;
}

/** The choices of a review, also after a reload. */
function keptChoices(place: string) {
  const form = new Form({});
  form.assign(JSON.parse(sessionStorage.getItem(place) ?? '{}'));
  const end = form.values.subscribe((values) => sessionStorage.setItem(place, JSON.stringify(values)));
  return {
    form,
    isUnsaved: () => form.isChanged,
    isStored: () => true,
    end: () => {
      end();
      sessionStorage.removeItem(place);
    },
  };
}
