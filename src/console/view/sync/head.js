/** Where a sync stands: its state in a sentence, its plan in numbers, how it was decided. */
import { fill, foreign, h } from '../../element.js';
import { counted, grouped, time } from '../../format.js';
import {
  ACTION_COLOURS,
  ACTION_LABELS,
  modeWords,
  PLAN_ACTIONS,
  REASONED,
  SYNC_TONES,
  syncSentence,
} from '../../sync-words.js';

/** @import { PlanTotals, SyncView } from '../../sync-answers.d.ts' */

export function syncHead() {
  const badge = h('span', {});
  const sentence = h('p', { class: 'sentence', id: 'state' });
  const reason = h('p', { class: 'note' });
  const approval = h('p', { class: 'note' });
  const carried = h('p', { class: 'note' });
  const progress = h('div', { class: 'reading' });
  const counts = h('div', {});
  const facts = h('dl', { class: 'facts' });
  const element = h(
    'div',
    {},
    h('div', { class: 'standing' }, badge, sentence),
    reason,
    approval,
    carried,
    progress,
    counts,
    facts,
  );
  return {
    element,
    /** @param {SyncView} view */
    show: (view) => {
      const { state, approved, importId, totals, planning } = view;
      badge.className = `badge ${SYNC_TONES[state]}`;
      fill(badge, state);
      fill(sentence, syncSentence(view));
      fill(reason, REASONED.includes(state) && foreign(view.reason));
      fill(
        approval,
        approved !== null && ['Approved by ', h('b', {}, foreign(approved.by)), ': ', foreign(approved.reason)],
      );
      fill(
        carried,
        importId !== null && [
          h('a', { href: `/imports/${encodeURIComponent(importId)}` }, 'The import that carries it out'),
          ' has the outcome of every change.',
        ],
      );
      const done = planning === null || planning.groups === 0 ? null : planning.done / planning.groups;
      fill(progress, state === 'planning' && h('progress', { max: 1, value: done, 'aria-label': 'Creating the plan' }));
      fill(counts, totals !== null && legendOf(totals));
      fill(facts, factsOf(view));
    },
  };
}

/** @param {PlanTotals} totals */
function legendOf({ actions }) {
  const shown = PLAN_ACTIONS.filter((action) => actions[action] > 0);
  return h(
    'ul',
    { class: 'legend' },
    shown.map((action) =>
      h(
        'li',
        {},
        h('span', { class: `swatch ${ACTION_COLOURS[action]}` }),
        h('b', {}, grouped(actions[action])),
        ` ${ACTION_LABELS[action]}`,
      ),
    ),
  );
}

/** @param {SyncView} view */
function factsOf(view) {
  const { totals, flags, limits, finishedAt } = view;
  const changed = Object.entries(limits).map(([name, value]) => `${name} ${grouped(value)}`);
  /** @type {[string, import('../../element.js').Child][]} */
  const list = [
    ['Started', time(view.createdAt)],
    ['Finished', finishedAt !== null && time(finishedAt)],
    ['How', modeWords(view)],
    ['Groups', totals !== null && grouped(totals.groups)],
    ['Not listed', totals !== null && totals.unlisted > 0 && counted(totals.unlisted, 'group')],
    ['Members', totals !== null && grouped(totals.members)],
    ['Already correct', totals !== null && grouped(totals.right)],
    ['Scopes may be lowered', flags.allowDemotion && 'yes'],
    ['Bans may be lifted', flags.allowUnban && 'yes'],
    ['Protected', flags.protect.length > 0 && counted(flags.protect.length, 'UID')],
    ['UIDs that may be removed', flags.removeByName.length > 0 && foreign(flags.removeByName.join(', '))],
    ['Guard limits', changed.length > 0 && changed.join(', ')],
  ];
  return list.flatMap(([name, value]) =>
    value === false || value === null ? [] : [h('div', {}, h('dt', {}, name), h('dd', {}, value))],
  );
}
