/** A plan by group, with the difference inside each. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { usePages } from '../../../console/answer.js';
import { query, syncPath } from '../../../console/api.js';
import { Empty, foreign, h, memberHref, Tag } from '../../../console/element.js';
import { FilterChoice } from '../../../console/form.js';
import { counted, grouped } from '../../../console/format.js';
import { useKeptPages, useOpened } from '../../../console/kept-pages.js';
import { ErrorNotice, ListState } from '../../../console/notice.js';
import { swatch } from '../../../console/outcome-bar.js';
import { keepInAddress, usePlace } from '../../../console/place.js';
import { ACTION_COLOURS, ACTION_LABELS, CHANGES, MEMBER_LABELS, PLAN_ACTIONS } from '../../../console/sync-words.js';
import { dataTable } from '../../../console/table.js';

/** @import { Opened } from '../../../console/kept-pages.js' */
/** @import { MemberAction, SyncGroup } from '../../../console/sync-answers.d.ts' */

const GROUPS = 50;
const MEMBERS = 50;

const TO_DO = [...CHANGES, 'report'].join(',');
const ANYTHING = 'all';

/** Actions by which groups can be chosen. @type {import('../../../console/form.js').Choice[]} */
const CHOICES = [
  [TO_DO, 'something to do'],
  ...PLAN_ACTIONS.filter((action) => action !== 'keep').map(
    (action) => /** @type {const} */ ([action, ACTION_LABELS[action]]),
  ),
  [ANYTHING, 'anything'],
];

/** @param {{ id: string }} properties */
export function SyncPlan({ id }) {
  const { query: initial } = usePlace();
  const chosen = useSignal(initial.get('groups') ?? TO_DO);
  const opened = useOpened();
  const action = chosen.value === ANYTHING ? '' : chosen.value;
  /** @type {import('../../../console/answer.js').Pages<SyncGroup>} */
  const pages = useKeptPages(syncPath(id, `/groups${query({ action })}`), {
    name: 'groups',
    limit: GROUPS,
    isWhole: opened.isWhole,
  });
  const { items, error, hasMore } = pages;
  return [
    h(
      'div',
      { class: 'filter' },
      h(FilterChoice, {
        id: 'plan-choice',
        label: 'Groups with',
        value: chosen.value,
        choices: CHOICES,
        onChoose: (value) => {
          chosen.value = value;
          keepInAddress(query({ groups: value === TO_DO ? '' : value }));
        },
      }),
    ),
    h(ListState, { error, items, empty: 'There is no such group in the plan.' }),
    h(
      'ul',
      { class: 'groups' },
      (items ?? []).map((group) =>
        h(Group, {
          key: `${action} ${group.region} ${group.guid}`,
          id,
          group,
          action,
          opened,
          // One group is what is looked for.
          isOpen: items?.length === 1,
        }),
      ),
    ),
    hasMore && h('button', { type: 'button', onClick: () => void pages.more() }, `Show ${GROUPS} more groups`),
  ];
}

/** @param {{ id: string, group: SyncGroup, action: string, opened: Opened, isOpen: boolean }} properties `action`: those to show, separated by commas; '' for all */
function Group({ id, group, action, opened, isOpen }) {
  const { region, guid, problem, members, actions, creates } = group;
  const key = `${region} ${guid}`;
  const open = isOpen || opened.shown(key) !== undefined;
  const wasOpen = useSignal(open);
  const name = h(
    'span',
    { class: 'name' },
    h('b', null, foreign(guid)),
    h('span', { class: 'soft' }, ` ${region}`),
    creates !== undefined && [' ', h(Tag, { key: 'new' }, `new, ${creates.type}`), ' ', foreign(creates.name)],
  );
  if (problem !== '') return h('li', null, name, h('p', { class: 'attention' }, foreign(problem)));
  const counts = h(
    'span',
    { class: 'counts' },
    PLAN_ACTIONS.filter((one) => one !== 'keep' && actions[one] > 0).map((one) =>
      h('span', { key: one }, swatch(ACTION_COLOURS[one]), `${grouped(actions[one])} ${ACTION_LABELS[one]}`),
    ),
    h('span', { class: 'soft' }, `of ${counted(members, 'member')}`),
  );
  return h(
    'li',
    null,
    h(
      'details',
      {
        open,
        onToggle: ({ currentTarget }) => {
          wasOpen.value ||= currentTarget.open;
          if (!currentTarget.open) opened.close(key);
          else if (opened.shown(key) === undefined) opened.open(key, MEMBERS);
        },
      },
      h('summary', null, name, counts),
      wasOpen.value &&
        h(GroupMembers, {
          ...{ id, region, guid, action },
          atFirst: opened.shown(key),
          onShown: (shown) => opened.open(key, shown),
        }),
    ),
  );
}

/** @type {import('../../../console/table.js').Column<MemberAction>[]} */
const COLUMNS = [
  { label: 'UID', kind: 'main', cell: ({ uid }) => h('a', { href: memberHref(uid) }, foreign(uid)) },
  {
    label: 'What',
    cell: ({ action }) => h('span', { class: 'mark' }, swatch(ACTION_COLOURS[action]), MEMBER_LABELS[action]),
  },
  {
    label: 'From → to',
    kind: 'wide',
    cell: ({ from, to }) => (from === to ? from || '–' : `${from || 'no member'} → ${to || 'no member'}`),
  },
  { label: 'Why', kind: 'wide', cell: ({ sentence }) => foreign(sentence) },
  { label: 'Row', kind: 'number', cell: ({ line }) => (line === null ? '–' : grouped(line)) },
];

/** @param {{ id: string, region: string, guid: string, action: string, atFirst: number | undefined, onShown: (count: number) => void }} properties */
function GroupMembers({ id, region, guid, action, atFirst, onShown }) {
  /** @type {import('../../../console/answer.js').Pages<MemberAction>} */
  const pages = usePages(syncPath(id, `/actions${query({ action, region, guid })}`), {
    name: 'actions',
    limit: MEMBERS,
    atFirst,
  });
  const { items, error, hasMore } = pages;
  useEffect(() => {
    if (items !== undefined) onShown(items.length);
  }, [items]);
  if (error !== undefined) return h(ErrorNotice, { error });
  if (items === undefined) return h(Empty, {}, 'Loading …');
  if (items.length === 0) return h(Empty, {}, 'Nothing is done in this group.');
  return [
    dataTable({ caption: `What is done in ${guid}`, columns: COLUMNS, items, keyOf: ({ uid }) => uid }),
    hasMore && h('button', { type: 'button', onClick: () => void pages.more() }, `Show ${MEMBERS} more`),
  ];
}
