/** Two syncs side by side: what each does, and in which groups they differ. */
import { useSignal } from '@preact/signals';
import { useAnswer, usePages } from '../../../console/answer.js';
import { query, syncPath } from '../../../console/api.js';
import { Badge, Card, Empty, foreign, h, syncHref } from '../../../console/element.js';
import { FilterChoice } from '../../../console/form.js';
import { dayAndTime, grouped } from '../../../console/format.js';
import { ErrorNotice } from '../../../console/notice.js';
import { keepInAddress, usePlace, useTitle } from '../../../console/place.js';
import { SYNC_TONES } from '../../../console/sync-words.js';
import { dataTable } from '../../../console/table.js';
import { Time } from '../../../console/time.js';
import { fileName } from '../../../console/words.js';

/** @import { ComparedGroup, ComparedCounts, Comparison, SyncEntry, SyncsPage } from '../../../console/sync-answers.d.ts' */

const GROUPS = 50;
const OFFERED = 200;

/** Numbers that are compared. @type {readonly (readonly [label: string, name: keyof ComparedCounts])[]} */
const NUMBERS = [
  ['Add', 'add'],
  ['Raise', 'raise'],
  ['Lower', 'lower'],
  ['Remove', 'remove'],
  ['Ban', 'ban'],
  ['Failed', 'failed'],
];

/** `/syncs/compare?first=…&second=…` */
export function ComparePage() {
  const place = usePlace();
  const first = useSignal(place.query.get('first') ?? '');
  const second = useSignal(place.query.get('second') ?? '');
  const shown = useSignal('');
  useTitle('Compare two syncs');
  /** @type {import('../../../console/answer.js').Answer<SyncsPage>} */
  const { data } = useAnswer(`/v1/syncs?limit=${OFFERED}`);
  /** @param {import('@preact/signals').Signal<string>} side @param {string} id */
  const choose = (side, id) => {
    side.value = id;
    keepInAddress(query({ first: first.peek(), second: second.peek() }));
  };
  const choices = choicesOf(data?.syncs ?? []);
  const isReady = first.value !== '' && second.value !== '' && first.value !== second.value;
  return [
    h('p', { class: 'kicker' }, h('a', { href: '/syncs' }, 'Syncs')),
    h('h1', { tabIndex: -1 }, 'Compare two syncs'),
    h(
      'div',
      { class: 'filter' },
      h(FilterChoice, {
        id: 'first',
        label: 'First',
        value: first.value,
        choices,
        onChoose: (id) => choose(first, id),
      }),
      h(FilterChoice, {
        id: 'second',
        label: 'Second',
        value: second.value,
        choices,
        onChoose: (id) => choose(second, id),
      }),
      h(FilterChoice, {
        id: 'shown',
        label: 'Groups',
        value: shown.value,
        choices: [
          ['', 'that differ'],
          ['true', 'all'],
        ],
        onChoose: (value) => {
          shown.value = value;
        },
      }),
    ),
    isReady
      ? h(Compared, {
          key: `${first.value} ${second.value}`,
          first: first.value,
          second: second.value,
          all: shown.value,
        })
      : h(
          Empty,
          {},
          first.value !== '' && first.value === second.value ? 'Choose two different syncs.' : 'Choose two syncs.',
        ),
  ];
}

/** @param {readonly SyncEntry[]} syncs @returns {import('../../../console/form.js').Choice[]} */
function choicesOf(syncs) {
  const planned = syncs.filter(({ totals }) => totals !== null);
  return [
    ['', 'choose …'],
    ...planned.map(
      ({ id, createdAt, schedule, file }) =>
        /** @type {const} */ ([id, `${dayAndTime(createdAt)} · ${schedule ?? fileName(file)}`]),
    ),
  ];
}

/** @param {{ first: string, second: string, all: string }} properties */
function Compared({ first, second, all }) {
  /** @type {import('../../../console/answer.js').Answer<Comparison>} */
  const { data, error } = useAnswer(syncPath(first, `/compare${query({ with: second, limit: 1 })}`));
  if (error !== undefined) return h(ErrorNotice, { error });
  if (data === undefined) return h(Empty, {}, 'Loading …');
  return h(
    'div',
    { class: 'stack' },
    h(Card, { id: 'totals', title: 'In all groups' }, h(Totals, { comparison: data })),
    h(
      Card,
      { id: 'groups', title: all === 'true' ? 'All groups' : 'Groups that differ' },
      h(Groups, { key: all, path: syncPath(first, `/compare${query({ with: second, all })}`) }),
    ),
  );
}

/** @param {{ comparison: Comparison }} properties */
function Totals({ comparison: { first, second } }) {
  const rows = [first, second].map((sync) => ({ sync, actions: sync.totals?.actions }));
  return dataTable({
    caption: 'Both syncs in numbers',
    columns: TOTALS,
    items: rows,
    keyOf: ({ sync }) => sync.id,
  });
}

/** @typedef {{ sync: Comparison['first'], actions: NonNullable<Comparison['first']['totals']>['actions'] | undefined }} Side */

/** @type {import('../../../console/table.js').Column<Side>[]} */
const TOTALS = [
  {
    label: 'Sync',
    kind: 'main',
    cell: ({ sync }) => [
      h('a', { href: syncHref(sync.id) }, foreign(sync.schedule ?? fileName(sync.file))),
      h('p', { class: 'note' }, h(Time, { iso: sync.createdAt })),
    ],
  },
  { label: 'State', cell: ({ sync }) => h(Badge, { tone: SYNC_TONES[sync.state] }, sync.state) },
  { label: 'Groups', kind: 'number', cell: ({ sync }) => grouped(sync.totals?.groups ?? 0) },
  { label: 'Add', kind: 'number', cell: ({ actions }) => grouped(actions?.add ?? 0) },
  { label: 'Change', kind: 'number', cell: ({ actions }) => grouped(actions?.change ?? 0) },
  { label: 'Remove', kind: 'number', cell: ({ actions }) => grouped(actions?.remove ?? 0) },
  { label: 'Ban', kind: 'number', cell: ({ actions }) => grouped(actions?.ban ?? 0) },
  { label: 'Failed', kind: 'number', cell: ({ sync }) => grouped(sync.failed) },
];

/** @param {{ path: string }} properties */
function Groups({ path }) {
  /** @type {import('../../../console/answer.js').Pages<ComparedGroup>} */
  const pages = usePages(path, { name: 'groups', limit: GROUPS });
  const { items, error, hasMore } = pages;
  if (error !== undefined) return h(ErrorNotice, { error });
  if (items === undefined) return h(Empty, {}, 'Loading …');
  if (items.length === 0) return h(Empty, {}, 'Both do the same in every group.');
  return [
    dataTable({
      caption: 'What both do in each group: first → second',
      columns: GROUP_COLUMNS,
      items,
      keyOf: ({ region, guid }) => `${region} ${guid}`,
    }),
    hasMore && h('button', { type: 'button', onClick: () => void pages.more() }, `Show ${GROUPS} more groups`),
  ];
}

/** @type {import('../../../console/table.js').Column<ComparedGroup>[]} */
const GROUP_COLUMNS = [
  {
    label: 'Group',
    kind: 'main',
    cell: ({ region, guid, first, second }) => [
      foreign(guid),
      h('span', { class: 'soft' }, ` ${region}`),
      first === null && h('p', { class: 'note' }, 'only in the second'),
      second === null && h('p', { class: 'note' }, 'only in the first'),
    ],
  },
  ...NUMBERS.map(
    ([label, name]) =>
      /** @type {import('../../../console/table.js').Column<ComparedGroup>} */ ({
        label,
        kind: 'number',
        cell: ({ first, second }) => difference(first?.[name] ?? 0, second?.[name] ?? 0),
      }),
  ),
];

/** @param {number} before @param {number} after */
function difference(before, after) {
  if (before === after) return before === 0 ? h('span', { class: 'soft' }, '–') : grouped(before);
  const sign = after > before ? '+' : '−';
  return [
    `${grouped(before)} → ${grouped(after)} `,
    h('b', { key: 'difference' }, `(${sign}${grouped(Math.abs(after - before))})`),
  ];
}

/** The address of a comparison. @param {string} first @param {string} second */
export function compareHref(first, second) {
  return `/syncs/compare${query({ first, second })}`;
}
