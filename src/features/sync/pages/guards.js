/** Why a plan is held: what guards object to, by guard, with the groups of each. */
import { useSignal } from '@preact/signals';
import { usePages } from '../../../console/answer.js';
import { query, syncPath } from '../../../console/api.js';
import { foreign, h } from '../../../console/element.js';
import { TypedFilter } from '../../../console/filter-fields.js';
import { counted, grouped } from '../../../console/format.js';
import { ListState } from '../../../console/notice.js';
import { REMOVAL_GUARDS } from '../../../console/sync-words.js';
import { dataTable } from '../../../console/table.js';

/** @import { GuardFinding, GuardObjections } from '../../../console/sync-answers.d.ts' */

const SHOWN = 50;

/** @type {import('../../../console/table.js').Column<GuardObjections>[]} */
const SUMMARY = [
  {
    label: 'Guard',
    kind: 'main',
    cell: ({ guard, meaning }) => [h('code', null, guard), h('p', { class: 'note' }, meaning)],
  },
  { label: 'Objections', kind: 'number', cell: ({ count }) => grouped(count) },
  {
    label: 'Members',
    kind: 'number',
    cell: ({ guard, total }) => (REMOVAL_GUARDS.has(guard) ? grouped(total) : '–'),
  },
  {
    label: 'Worst',
    kind: 'wide',
    cell: ({ worst }) => foreign(worst.sentence),
  },
];
/** While someone can still decide. @type {import('../../../console/table.js').Column<GuardObjections>[]} */
const TO_DECIDE = [...SUMMARY, { label: 'What to do', kind: 'wide', cell: ({ remedy }) => remedy }];

/** @param {{ id: string, guards: readonly GuardObjections[], isHeld: boolean }} properties */
export function SyncGuards({ id, guards, isHeld }) {
  return h(
    'div',
    { class: 'stack' },
    dataTable({
      caption: isHeld ? 'Guards that object' : 'Guards that objected',
      columns: isHeld ? TO_DECIDE : SUMMARY,
      items: guards,
      keyOf: ({ guard }) => guard,
    }),
    guards
      .filter(({ count }) => count > 1)
      .map((objections) => h(Objections, { key: objections.guard, id, objections })),
  );
}

/** @param {{ id: string, objections: GuardObjections }} properties */
function Objections({ id, objections: { guard, count } }) {
  const opened = useSignal(false);
  return h(
    'details',
    {
      onToggle: ({ currentTarget }) => {
        opened.value ||= currentTarget.open;
      },
    },
    h('summary', null, `${counted(count, 'group')} of `, h('code', null, guard)),
    opened.value && h(GroupList, { id, guard, isLong: count > SHOWN }),
  );
}

/** @type {import('../../../console/table.js').Column<GuardFinding>[]} */
const GROUPS = [
  { label: 'Group', kind: 'main', cell: ({ guid }) => foreign(guid ?? '') ?? 'all groups' },
  { label: 'Region', cell: ({ region }) => region ?? 'all' },
  { label: 'Found', kind: 'number', cell: ({ value }) => grouped(value) },
  { label: 'Allowed', kind: 'number', cell: ({ limit }) => grouped(limit) },
  { label: 'Members', kind: 'number', cell: ({ members }) => (members === null ? '–' : grouped(members)) },
];
/** Where the numbers do not say it. @type {import('../../../console/table.js').Column<GuardFinding>[]} */
const GROUPS_IN_WORDS = [
  ...GROUPS.slice(0, 2),
  { label: 'Why', kind: 'wide', cell: ({ sentence }) => foreign(sentence) },
];

/** @param {{ id: string, guard: string, isLong: boolean }} properties */
function GroupList({ id, guard, isLong }) {
  const search = useSignal('');
  /** @type {import('../../../console/answer.js').Pages<GuardFinding>} */
  const pages = usePages(syncPath(id, `/findings${query({ guard, search: search.value })}`), {
    name: 'findings',
    limit: SHOWN,
  });
  const { items, error, hasMore } = pages;
  return h(
    'div',
    { class: 'stack' },
    isLong &&
      h(
        'div',
        { class: 'filter' },
        h(TypedFilter, {
          id: `search-${guard}`,
          label: 'Find a group',
          value: search.value,
          onValue: (text) => (search.value = text),
        }),
      ),
    h(ListState, { error, items, empty: 'No group fits.' }),
    items !== undefined &&
      items.length > 0 &&
      dataTable({
        caption: `Groups that ${guard} objects to, the worst first`,
        columns: REMOVAL_GUARDS.has(guard) ? GROUPS : GROUPS_IN_WORDS,
        items,
        keyOf: ({ region, guid }, index) => `${region} ${guid} ${index}`,
      }),
    hasMore && h('button', { type: 'button', onClick: () => void pages.more() }, `Show ${SHOWN} more of ${guard}`),
  );
}
