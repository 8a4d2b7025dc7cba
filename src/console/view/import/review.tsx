/** The review of a file that was read: its rows, what sending them takes, the choices for it, and the one button that sends. */

import { creatingMissing, ImportCheck, useCheck } from '../../../features/check/page.tsx';
import { AMOUNT_LABELS, BAN_CHECKS, WAIT_LABELS } from '../../../options/labels.ts';
import { counted } from '../../../text/wording.ts';
import type { ImportView, Values } from '../../answers.ts';
import { settings } from '../../frame.tsx';
import { forget, useEntry } from '../../kept-entries.ts';
import { Card, Facts, FileNotes, importHref, Pending, Steps } from '../../kit/elements.tsx';
import { type Choice, Drawer, Fields, Form } from '../../kit/form.tsx';
import { usePlace } from '../../place.ts';
import { addressOf, call } from '../../requests.ts';
import { tried } from '../../storage.ts';
import { useAnswer } from '../../use-answer.ts';
import { Creating } from '../upload/creating-fields.tsx';
import { useColumnsOf } from '../upload/file-choice.tsx';
import { IMPORT } from '../upload/upload-entry.ts';
import { factsOf } from './before-sending.tsx';
import { Standing } from './import-head.tsx';
import { ImportProblems } from './import-problems.tsx';
import { type Failing, resumeChoices, sendLabel } from './import-rules.ts';
import type { ImportParts } from './live-import.ts';
import { rowsHref, TO_CORRECT } from './rows-wanted.tsx';
import { ImportActions, useActing, waysOf } from './ways.tsx';

/** The way through the steps, above the page of a file that nothing was sent of. */
export function ReviewSteps({ id }: { id: string }) {
  const columns = useColumnsOf(IMPORT, importHref(id));
  return <Steps names={IMPORT.steps} at={2} hrefs={[undefined, columns ?? undefined]} />;
}

export function Review(parts: ImportParts) {
  const { view, filter, reload } = parts;
  const { id } = view;
  const { isOperator } = usePlace();
  const checking = useCheck(id, reload, view.hasCheck === true);
  const { form } = useEntry(placeOf(id), () => keptChoices(id));
  const wouldFail = view.checkedRows?.wouldFail ?? 0;
  const missing = creatingMissing(checking.check?.summary);
  // Rows that would fail are left out, unless nothing else is left.
  const usual = wouldFail < view.rows.read ? 'leaveOut' : 'send';
  const failing = wouldFail === 0 ? '' : ((form.get('failing') || usual) as Failing);
  const choices = resumeChoices(form.read(), failing, missing?.choices);
  const asked = resumeChoices({}, failing, missing?.choices);
  const plan = useAnswer(addressOf('GET /v1/imports/:id/sending', { id, query: asked }), {
    turn: `${view.edited} ${view.checkedRows?.at}`,
  });
  const facts = plan.data && [
    ...factsOf(plan.data),
    ['Banned users', bansText(form)] as const,
    ['Created', createdText(form, failing)] as const,
    ['The other way', otherWay(view, plan.data.silent)] as const,
  ];
  return (
    <div class="review gap col">
      <div class="stack">
        <div class="card col">
          <section class="state row start" aria-label="State">
            <div class="grow col">
              <Standing view={view} />
              <div aria-busy={(plan.data ?? plan.error) === undefined}>
                {facts === undefined ? <Pending error={plan.error} /> : <Facts list={facts} />}
              </div>
              <FileNotes notes={view.notes ?? []} />
            </div>
          </section>
        </div>
        <div class="card">
          <ImportProblems {...parts} />
        </div>
        <Card id="check" title="Check with the service">
          <ImportCheck id={id} filter={filter} checking={checking} />
        </Card>
      </div>
      {isOperator && (
        <Card id="sending" title="Send">
          <div class="sending gap col">
            {failing !== '' && (
              <FailingChoice
                form={form}
                wouldFail={wouldFail}
                missing={missing?.what}
                failing={failing}
                usual={usual}
              />
            )}
            {plan.data?.rows !== 0 && (
              <>
                {failing === '' && <Creating form={form} />}
                <Choices form={form} />
              </>
            )}
            <SendButton {...parts} form={form} rows={plan.data?.rows} choices={choices} />
          </div>
        </Card>
      )}
    </div>
  );
}

const SELDOM = [...Object.keys(WAIT_LABELS), 'only', ...Object.keys(BAN_CHECKS)];

function Choices({ form }: { form: Form }) {
  return (
    <>
      <Fields form={form} fields={Object.keys(AMOUNT_LABELS)} />
      <Drawer title="More choices" form={form} fields={SELDOM}>
        <Fields form={form} fields={SELDOM} />
      </Drawer>
    </>
  );
}

interface SendButtonProperties extends ImportParts {
  form: Form;
  rows: number | undefined;
  choices: Values;
}

function SendButton({ form, rows, choices, ...parts }: SendButtonProperties) {
  const { view, reload } = parts;
  const acting = useActing()(view, reload);
  const decision = view.next.find(({ query }) => query !== undefined);
  const { id } = view;
  const send = async (signal: AbortSignal) => {
    // Removals and bans are agreed to on their own.
    if (decision !== undefined)
      return acting({ ...decision, operation: 'resume', query: { ...choices, ...decision.query } })(signal);
    await form.attempt(async () => {
      await call('POST /v1/imports/:id/resume', { id, query: choices }, signal);
      await reload();
    });
  };
  const text = decision === undefined ? sendLabel(rows, form.values.value) : `${decision.name}…`;
  return (
    <ImportActions
      {...parts}
      ways={[
        { text, kind: rows === 0 ? '' : 'main', isOff: rows === undefined, act: send },
        ...waysOf(view, acting).filter(({ act }) => act === rowsHref(id, TO_CORRECT)),
      ]}
      leadsBack={rows === 0}
    />
  );
}

interface FailingChoiceProperties {
  form: Form;
  wouldFail: number;
  /** The users and groups that would be created; absent where none can be. */
  missing: string | undefined;
  /** The way that is taken, and the one that is taken unless a person says otherwise. */
  failing: Failing;
  usual: Failing;
}

function FailingChoice({ form, wouldFail, missing, failing, usual }: FailingChoiceProperties) {
  const ways: Readonly<Record<Failing, string | false>> = {
    leaveOut: 'Leave them out',
    create: missing !== undefined && `Create ${missing}`,
    send: 'Send them as well',
  };
  const choices = Object.entries(ways).flatMap(([way, label]): Choice[] =>
    label === false ? [] : [[way === usual && form.get('failing') !== way ? '' : way, label]],
  );
  const note =
    failing === 'create'
      ? 'They get the names that the file has for them; where it has none, their id is their name, which everyone sees. Undoing the import does not delete them.'
      : undefined;
  return (
    <Fields form={form} fields={{ failing: { label: `${counted(wouldFail, 'row')} would fail`, choices, note } }} />
  );
}

/** Both ways add the same members; the way is chosen with the columns. */
function otherWay({ ways }: ImportView, isSilent: boolean) {
  if (ways === undefined) return false;
  const { added, silent } = ways;
  return isSilent
    ? `with ${counted(added.messages, 'message')} in groups, ${counted(added.calls, 'call')}`
    : `without messages, ${counted(silent.calls, 'call')}, at most ${settings.value?.importsPerMinute} a minute: choose it with the columns`;
}

function bansText(form: Form) {
  const lifts = Object.keys(BAN_CHECKS).some((name) => form.get(name) === 'true');
  return lifts ? 'are added, which lifts their ban' : 'stay banned: their rows fail';
}

function createdText(form: Form, failing: Failing | '') {
  if (failing === 'create') return 'what the check found missing';
  const what = [form.get('createUsers') && 'users', form.get('createGroups') && 'groups'].filter(Boolean);
  return what.length === 0 || failing !== '' ? 'nothing' : `${what.join(' and ')} that the service does not know`;
}

/** The choices of a review, also after a reload and on the way back from another page, until they are sent. */
function keptChoices(id: string) {
  const place = placeOf(id);
  const form = new Form({});
  const kept = () => tried(() => sessionStorage.getItem(place));
  form.assign(JSON.parse(kept() ?? '{}'));
  form.values.subscribe((values) => tried(() => sessionStorage.setItem(place, JSON.stringify(values))));
  return {
    form,
    isUnsaved: () => form.isChanged,
    isStored: () => typeof kept() === 'string',
    end: () => tried(() => sessionStorage.removeItem(place)),
  };
}

function placeOf(id: string) {
  return `review ${id}`;
}

/** For an import that waits for nobody's choices any more. */
export function forgetReview(id: string) {
  forget(placeOf(id));
}
