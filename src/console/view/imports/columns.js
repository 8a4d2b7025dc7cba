/** What the list says of an import. */
import { Badge, foreign, h, importHref, Tag, tagHref } from '../../element.js';
import { counted, duration, grouped } from '../../format.js';
import { settings } from '../../frame.js';
import { OutcomeBar } from '../../outcome-bar.js';
import { Time } from '../../time.js';
import { fileName, inPlace, isDryRun, isUndone, leftToDo, settled, stateLabel, stateTone } from '../../words.js';

/** @import { ImportView } from '../../answers.d.ts' */

/** Where an import comes from, and what became of it, in words beside its name. @param {{ view: ImportView }} properties */
export function KindTag({ view }) {
  return [
    view.kind !== 'file' && h(Tag, { key: 'kind' }, view.kind),
    isDryRun(view) && h(Tag, { key: 'dry' }, 'dry run'),
    view.followUps.some(isUndone) && h(Tag, { key: 'undone' }, 'undone'),
    // Where the whole server sends to a sandbox it is said once, in the head.
    view.sandbox && settings.value?.sandbox !== true && h(Tag, { key: 'sandbox' }, 'sandbox'),
  ];
}

/** @type {import('../../table.js').Column<ImportView>[]} */
export const COLUMNS = [
  {
    label: 'File',
    kind: 'main',
    cell: (view) => [
      h('a', { href: importHref(view.id) }, foreign(fileName(view.file))),
      h(KindTag, { view }),
      view.tags.length > 0 &&
        h(
          'span',
          { class: 'own-tags' },
          view.tags.map((tag) => h('a', { key: tag, class: 'tag own', href: tagHref(tag) }, foreign(tag))),
        ),
    ],
  },
  { label: 'State', cell: (view) => h(Badge, { tone: stateTone(view) }, stateLabel(view)) },
  { label: 'Progress', kind: 'wide', cell: progressOf },
  { label: 'Succeeded', kind: 'number', cell: ({ rows }) => grouped(inPlace(rows)) },
  {
    label: 'Need attention',
    kind: 'number',
    cell: (view) => h('span', { class: leftToDo(view) > 0 ? 'attention' : 'soft' }, grouped(leftToDo(view))),
  },
  {
    label: 'Created',
    cell: ({ createdAt, createdBy }) => [
      h(Time, { iso: createdAt }),
      createdBy !== '' && h('span', { class: 'soft' }, ' by ', foreign(createdBy)),
    ],
  },
  {
    label: 'Took',
    kind: 'number',
    cell: ({ startedAt, finishedAt }) =>
      startedAt !== null && finishedAt !== null ? duration(Date.parse(finishedAt) - Date.parse(startedAt)) : '–',
  },
];

/** @param {ImportView} view */
function progressOf({ rows, staging, finishedAt }) {
  if (staging !== null) return h('span', { class: 'soft' }, `${counted(staging.rows, 'row')} read`);
  if (rows.read === 0) return h('span', { class: 'soft' }, '–');
  const text =
    finishedAt === null ? `${grouped(settled(rows))} of ${counted(rows.read, 'row')}` : counted(rows.read, 'row');
  return h(
    'div',
    { class: 'progress' },
    h(OutcomeBar, { name: 'Rows by outcome', rows }),
    h('span', { class: 'soft' }, text),
  );
}
