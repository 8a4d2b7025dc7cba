/** One action for several imports: which are chosen, what can be done with them, and what each answered. */

import { type Signal, useSignal } from '@preact/signals';
import type { SentFor } from '../../api/operation.ts';
import type { importOperations } from '../../api/operations/import-operations.ts';
import { tagsProblem } from '../../api/tag-rule.ts';
import { sumOfOutcomes } from '../../membership/outcome.ts';
import { counted } from '../../text/wording.ts';
import type { ImportView, SendingPlan } from '../answers.ts';
import { listIn } from '../format.ts';
import { fileName, leftToDo } from '../import-words.ts';
import { announce, ask, confirmed, useKeptFocus, useWork, WorkButton } from '../kit/actions.tsx';
import { ErrorPlace, foreign, importHref } from '../kit/elements.tsx';
import { refreshOverview } from '../live.ts';
import { saidOf } from '../option-words.ts';
import { call } from '../requests.ts';
import { MANY_ROWS, SumOfPlans } from './import/before-sending.tsx';

type Verb = 'pause' | 'resume' | 'cancel' | 'delete';

const VERBS: readonly (readonly [verb: Verb, label: string, done: string])[] = [
  ['pause', 'Pause', 'is pausing'],
  ['resume', 'Resume', 'resumed'],
  ['cancel', 'Cancel…', 'cancelled'],
  ['delete', 'Delete…', 'deleted'],
];

/** Ids. */
export type Chosen = Signal<ReadonlySet<string>>;

/** The box that chooses one import. It is drawn again by itself. */
export function ChooseBox({ view, chosen }: { view: ImportView; chosen: Chosen }) {
  return (
    <input
      type="checkbox"
      aria-label={`Select ${fileName(view.file)} (${view.id})`}
      checked={chosen.value.has(view.id)}
      onChange={({ currentTarget }) => {
        const ids = new Set(chosen.peek());
        if (currentTarget.checked) ids.add(view.id);
        else ids.delete(view.id);
        chosen.value = ids;
      }}
    />
  );
}

/** Asks whether the rows of these imports may be sent; a few are not asked about. */
async function mayBeResumed(views: readonly ImportView[], signal: AbortSignal) {
  const waiting = views.filter(({ actions }) => actions.includes('resume'));
  const open = waiting.reduce((sum, { rows }) => sum + rows.read - sumOfOutcomes(rows), 0);
  const failing = waiting.reduce((sum, { checkedRows }) => sum + (checkedRows?.wouldFail ?? 0), 0);
  if (open < MANY_ROWS && failing === 0) return true;
  const plans: SendingPlan[] = [];
  for (const { id } of waiting) plans.push(await call('GET /v1/imports/:id/sending', { id }, signal));
  return confirmed({
    question: `Resume ${counted(waiting.length, 'import')}?`,
    explanation: <SumOfPlans plans={plans} wouldFail={failing} />,
    yes: 'Resume them',
    no: 'Keep them waiting',
    tone: 'main',
  });
}

/** Asks before what cannot be taken back. */
async function isSure(verb: Verb, count: number): Promise<boolean> {
  if (verb !== 'cancel' && verb !== 'delete') return true;
  return confirmed({
    question: `${verb === 'cancel' ? 'Cancel' : 'Delete'} ${counted(count, 'import')}?`,
    explanation:
      verb === 'cancel'
        ? 'Calls in flight finish; the rest is not sent. Rows that were not sent can be retried.'
        : 'Their rows, reports and files are deleted. Members stay in their groups.',
    yes: verb === 'cancel' ? 'Cancel them' : 'Delete them',
    no: verb === 'cancel' ? 'Keep them running' : 'Keep them',
  });
}

/** The answer for one of the imports. */
interface ActionAnswer {
  id: string;
  name: string;
  text: string;
  isWrong: boolean;
}

interface BulkBarProperties {
  /** The imports that are shown. */
  items: readonly ImportView[];
  chosen: Chosen;
  onDone: () => Promise<void>;
}

export function BulkBar({ items, chosen, onDone }: BulkBarProperties) {
  const work = useWork();
  const place = useKeptFocus();
  const answers = useSignal<readonly ActionAnswer[]>([]);
  const views = items.filter(({ id }) => chosen.value.has(id));
  const count = views.length;

  const dismissible = views.filter((view) => view.finishedAt !== null && leftToDo(view) > 0);

  const send = (body: Omit<SentFor<typeof importOperations.act>['body'], 'ids'>, done: string, to = views) =>
    work.start(async (signal) => {
      if (body.action === 'resume' && !(await mayBeResumed(views, signal))) return;
      const names = new Map(to.map(({ id, file }) => [id, fileName(file)]));
      const { results } = await call('POST /v1/imports/actions', { body: { ids: [...names.keys()], ...body } }, signal);
      answers.value = results.map(({ id, problem }) => ({
        id,
        name: names.get(id) ?? id,
        text: problem === undefined ? done : saidOf(problem),
        isWrong: problem !== undefined,
      }));
      const wrong = results.filter(({ problem }) => problem !== undefined).length;
      announce(`${counted(results.length - wrong, 'import')} done${wrong === 0 ? '' : `, ${wrong} refused`}.`);
      chosen.value = new Set(results.flatMap(({ id, problem }) => (problem === undefined ? [] : [id])));
      refreshOverview();
      await onDone();
    });
  const act = async (verb: Verb, done: string) => {
    if (await isSure(verb, count)) await send({ action: verb }, done);
  };
  const tag = async () => {
    const changes = await askForTags(count);
    if (changes !== undefined) await send({ action: 'tag', tags: changes }, 'tagged');
  };

  const bar =
    count === 0 ? null : (
      <div class="bulk" role="group" aria-label="Selected imports">
        <b>{count} selected</b>
        {VERBS.filter(([verb]) => views.some(({ actions }) => actions.includes(verb))).map(([verb, label, done]) => (
          <WorkButton
            key={verb}
            busy={work.busy}
            kind={verb === 'delete' ? 'danger' : ''}
            onClick={() => void act(verb, done)}
          >
            {label}
          </WorkButton>
        ))}
        {dismissible.length > 0 && (
          <WorkButton busy={work.busy} onClick={() => void send({ action: 'dismiss' }, 'dismissed', dismissible)}>
            Dismiss
          </WorkButton>
        )}
        <WorkButton busy={work.busy} onClick={() => void tag()}>
          Tag…
        </WorkButton>
        {count < items.length && (
          <button type="button" class="quiet" onClick={() => (chosen.value = new Set(items.map(({ id }) => id)))}>
            Select all {items.length} shown
          </button>
        )}
        <button type="button" class="quiet" onClick={() => (chosen.value = new Set())}>
          Select none
        </button>
      </div>
    );
  return (
    <div ref={place} class="bulk-place">
      {bar}
      <ErrorPlace error={work.error} />
      {answers.value.length > 0 && <Answers answers={answers.value} onClose={() => (answers.value = [])} />}
    </div>
  );
}

function Answers({ answers, onClose }: { answers: readonly ActionAnswer[]; onClose: () => void }) {
  return (
    <div class="notice quiet bulk-answers">
      <ul class="plain">
        {answers.map(({ id, name, text, isWrong }) => (
          <li key={id}>
            {text === 'deleted' ? foreign(name) : <a href={importHref(id)}>{foreign(name)}</a>}:{' '}
            <span class={isWrong ? 'attention' : ''}>{text}</span>
          </li>
        ))}
      </ul>
      <button type="button" class="quiet" onClick={onClose}>
        Close
      </button>
    </div>
  );
}

async function askForTags(count: number): Promise<{ add?: string[]; remove?: string[] } | undefined> {
  const form = await ask({
    question: `Tag ${counted(count, 'import')}`,
    explanation: 'Tags are words by which you find imports again. Separate several with commas.',
    fields: (
      <>
        <TagField name="add" label="Add" isFirst />
        <TagField name="remove" label="Remove" isFirst={false} />
      </>
    ),
    yes: 'Save tags',
    no: 'Change nothing',
  });
  if (form === undefined) return undefined;
  const add = listIn(String(form.get('add') ?? ''));
  const remove = listIn(String(form.get('remove') ?? ''));
  return add.length + remove.length === 0 ? undefined : { add, remove };
}

function TagField({ name, label, isFirst }: { name: string; label: string; isFirst: boolean }) {
  return (
    <div class="field">
      <label for={`tags-${name}`}>{label}</label>
      <input
        id={`tags-${name}`}
        name={name}
        type="text"
        autocomplete="off"
        maxLength={200}
        autoFocus={isFirst}
        // With it, the dialog stays open and the browser says at the field what is wrong.
        onInput={({ currentTarget }) => currentTarget.setCustomValidity(tagsProblem(listIn(currentTarget.value)))}
      />
    </div>
  );
}
