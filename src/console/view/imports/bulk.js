/** One action for several imports: which are chosen, what can be done with them, and what each answered. */
import { useSignal } from '@preact/signals';
import { request } from '../../api.js';
import { ask, confirmed } from '../../dialog.js';
import { foreign, h, importHref } from '../../element.js';
import { counted, grouped, listIn } from '../../format.js';
import { announce } from '../../frame.js';
import { ErrorPlace } from '../../notice.js';
import { refreshOverview } from '../../overview.js';
import { saidOf } from '../../remedies.js';
import { fileName, needAttention, settled } from '../../words.js';
import { useKeptFocus, useWork, WorkButton } from '../../work.js';
import { MANY_ROWS } from '../import/before-sending.js';

/** @import { Signal } from '@preact/signals' */
/** @import { BulkAnswer, ImportView } from '../../answers.d.ts' */

/** @typedef {'pause' | 'resume' | 'cancel' | 'delete'} Verb */

/** @type {readonly (readonly [verb: Verb, label: string, done: string])[]} */
const VERBS = [
  ['pause', 'Pause', 'is pausing'],
  ['resume', 'Resume', 'resumed'],
  ['cancel', 'Cancel…', 'cancelled'],
  ['delete', 'Delete…', 'deleted'],
];

/** @typedef {Signal<ReadonlySet<string>>} Chosen ids */

/** The box that chooses one import. It is drawn again by itself. @param {{ view: ImportView, chosen: Chosen }} properties */
export function ChooseBox({ view, chosen }) {
  return h('input', {
    type: 'checkbox',
    'aria-label': `Select ${fileName(view.file)} (${view.id})`,
    checked: chosen.value.has(view.id),
    onChange: ({ currentTarget }) => {
      const ids = new Set(chosen.peek());
      if (currentTarget.checked) ids.add(view.id);
      else ids.delete(view.id);
      chosen.value = ids;
    },
  });
}

/** Whether the rows of these imports may be sent: a few are not asked about. @param {readonly ImportView[]} views */
async function mayBeResumed(views) {
  const waiting = views.filter(({ actions }) => actions.includes('resume'));
  const open = waiting.reduce((sum, { rows }) => sum + rows.read - settled(rows), 0);
  const failing = waiting.reduce((sum, { checkedRows }) => sum + (checkedRows?.wouldFail ?? 0), 0);
  if (open < MANY_ROWS && failing === 0) return true;
  return confirmed({
    question: `Resume ${counted(waiting.length, 'import')}?`,
    explanation: `${counted(open, 'row')} that wait are sent${failing === 0 ? '' : `; ${grouped(failing)} of them would fail, as checks say`}.`,
    yes: 'Resume them',
    no: 'Keep them waiting',
    tone: 'main',
  });
}

/**
 * @param {object} properties
 * @param {readonly ImportView[]} properties.items that are shown
 * @param {Chosen} properties.chosen
 * @param {() => Promise<void>} properties.onDone
 */
export function BulkBar({ items, chosen, onDone }) {
  const work = useWork();
  const place = useKeptFocus();
  const answers = useSignal(
    /** @type {readonly { id: string, name: string, text: string, isWrong: boolean }[]} */ ([]),
  );
  const views = items.filter(({ id }) => chosen.value.has(id));
  const count = views.length;

  /**
   * @param {object} body
   * @param {string} done
   */
  const send = (body, done) =>
    work.start(async (signal) => {
      const names = new Map(views.map(({ id, file }) => [id, fileName(file)]));
      /** @type {BulkAnswer} */
      const { results } = await request('/v1/imports/actions', {
        method: 'POST',
        type: 'application/json',
        body: JSON.stringify({ ids: [...names.keys()], ...body }),
        signal,
      });
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
  /** @param {Verb} verb @param {string} done */
  const act = async (verb, done) => {
    if (verb === 'cancel' || verb === 'delete') {
      const isSure = await confirmed({
        question: `${verb === 'cancel' ? 'Cancel' : 'Delete'} ${counted(count, 'import')}?`,
        explanation:
          verb === 'cancel'
            ? 'Calls in flight finish; the rest is not sent. Rows that were not sent can be retried.'
            : 'Their rows, reports and files are deleted. Members stay in their groups.',
        yes: verb === 'cancel' ? 'Cancel them' : 'Delete them',
        no: verb === 'cancel' ? 'Keep them running' : 'Keep them',
      });
      if (!isSure) return;
    }
    if (verb === 'resume' && !(await mayBeResumed(views))) return;
    await send({ action: verb }, done);
  };
  const tag = async () => {
    const changes = await askForTags(count);
    if (changes !== undefined) await send({ action: 'tag', tags: changes }, 'tagged');
  };

  const bar =
    count === 0
      ? null
      : h(
          'div',
          { class: 'bulk', role: 'group', 'aria-label': 'Selected imports' },
          h('b', null, `${count} selected`),
          VERBS.filter(([verb]) => views.some(({ actions }) => actions.includes(verb))).map(([verb, label, done]) =>
            h(
              WorkButton,
              {
                key: verb,
                busy: work.busy,
                kind: verb === 'delete' ? 'danger' : '',
                onClick: () => void act(verb, done),
              },
              label,
            ),
          ),
          views.some(({ finishedAt, rows }) => finishedAt !== null && needAttention(rows) > 0) &&
            h(
              WorkButton,
              { key: 'dismiss', busy: work.busy, onClick: () => void send({ action: 'dismiss' }, 'dismissed') },
              'Dismiss',
            ),
          h(WorkButton, { key: 'tag', busy: work.busy, onClick: () => void tag() }, 'Tag…'),
          count < items.length &&
            h(
              'button',
              {
                key: 'all',
                type: 'button',
                class: 'quiet',
                onClick: () => (chosen.value = new Set(items.map(({ id }) => id))),
              },
              `Select all ${items.length} shown`,
            ),
          h(
            'button',
            { key: 'none', type: 'button', class: 'quiet', onClick: () => (chosen.value = new Set()) },
            'Select none',
          ),
        );
  return h(
    'div',
    { ref: place, class: 'bulk-place' },
    bar,
    h(ErrorPlace, { error: work.error }),
    answers.value.length > 0 &&
      h(
        'div',
        { class: 'notice quiet bulk-answers' },
        h(
          'ul',
          { class: 'plain' },
          answers.value.map(({ id, name, text, isWrong }) =>
            h(
              'li',
              { key: id },
              text === 'deleted' ? foreign(name) : h('a', { href: importHref(id) }, foreign(name)),
              ': ',
              h('span', { class: isWrong ? 'attention' : '' }, text),
            ),
          ),
        ),
        h('button', { type: 'button', class: 'quiet', onClick: () => (answers.value = []) }, 'Close'),
      ),
  );
}

/** @param {number} count @returns {Promise<{ add?: string[], remove?: string[] } | undefined>} */
async function askForTags(count) {
  const form = await ask({
    question: `Tag ${counted(count, 'import')}`,
    explanation: 'Tags are words by which you find imports again. Separate several with commas.',
    content: (close) => [
      h(TagField, { name: 'add', label: 'Add', isFirst: true }),
      h(TagField, { name: 'remove', label: 'Remove', isFirst: false }),
      h(
        'div',
        { class: 'buttons' },
        h('button', { type: 'button', onClick: close }, 'Change nothing'),
        h('button', { value: 'yes', class: 'main' }, 'Save tags'),
      ),
    ],
  });
  if (form === undefined) return undefined;
  const add = listIn(String(form.get('add') ?? ''));
  const remove = listIn(String(form.get('remove') ?? ''));
  return add.length + remove.length === 0 ? undefined : { add, remove };
}

/** @param {{ name: string, label: string, isFirst: boolean }} properties */
function TagField({ name, label, isFirst }) {
  return h(
    'div',
    { class: 'field' },
    h('label', { for: `tags-${name}` }, label),
    h('input', { id: `tags-${name}`, name, type: 'text', autocomplete: 'off', maxLength: 200, autoFocus: isFirst }),
  );
}
