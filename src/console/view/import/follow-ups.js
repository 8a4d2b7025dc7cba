/** What was started to retry or undo an import: where it stands, and what has come of it. */
import { h, importHref, syncHref } from '../../element.js';
import { grouped } from '../../format.js';
import { useListNews } from '../../overview.js';
import { inPlace } from '../../words.js';
import { useLeaving } from '../../work.js';

/** @import { FollowUp } from '../../answers.d.ts' */
/** @import { LiveImport } from './live-import.js' */

/** @param {{ live: LiveImport }} properties */
export function FollowUps({ live }) {
  const view = live.view.value;
  const leaving = useLeaving();
  // An import that is over has no events of its own; the list's tell of it, and of what follows it up.
  const isConcerned = (/** @type {string} */ id) =>
    live.over.peek() && (id === view?.id || view?.followUps.some((followUp) => followUp.id === id) === true);
  const ask = () => live.over.peek() && void live.load(leaving());
  useListNews(['sync'], ask, ({ id }) => isConcerned(id));
  useListNews(['imports'], ask, ({ imports }) =>
    imports.some(({ id, retryOf }) => isConcerned(id) || isConcerned(retryOf ?? '')),
  );
  return view === undefined ? null : h(FollowUpList, { followUps: view.followUps });
}

/** @param {{ followUps: readonly FollowUp[] }} properties */
export function FollowUpList({ followUps }) {
  if (followUps.length === 0) return null;
  return h(
    'ul',
    { class: 'plain follow-ups' },
    followUps.map((followUp) => h('li', { key: followUp.id }, followUpSentence(followUp))),
  );
}

/** @param {FollowUp} followUp */
function followUpSentence({ kind, id, state, rows, isPart }) {
  const succeeded = rows === null ? '' : `: ${grouped(inPlace(rows))} of ${grouped(rows.read)} rows succeeded`;
  if (kind === 'retry') {
    return [
      isPart ? 'Some rows were ' : 'Rows that could be sent again were ',
      h('a', { href: importHref(id) }, 'retried'),
      ` (${state})${succeeded}.`,
    ];
  }
  if (kind === 'repair') {
    return ['Rows that were repaired were ', h('a', { href: importHref(id) }, 'sent'), ` (${state})${succeeded}.`];
  }
  const link = (/** @type {string} */ text) => h('a', { href: syncHref(id) }, text);
  if (state === 'applied') return ['This import was ', link('undone'), `${succeeded}.`];
  if (state === 'planned' || state === 'held') return [link('A plan to undo it'), ` waits for a decision (${state}).`];
  return [link('Undo'), `: ${state}${succeeded}.`];
}
