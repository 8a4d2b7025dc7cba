/** A plan by group, with the difference inside each. */
import { query, request, syncPath } from '../../api.js';
import { fill, foreign, h } from '../../element.js';
import { counted, grouped } from '../../format.js';
import { errorNotice } from '../../notice.js';
import { ACTION_COLOURS, ACTION_LABELS, CHANGES, MEMBER_LABELS, PLAN_ACTIONS } from '../../sync-words.js';
import { dataTable } from '../../table.js';

/** @import { MemberAction, MemberActionsPage, SyncGroup, SyncGroupsPage } from '../../sync-answers.d.ts' */

const GROUPS = 50;
const MEMBERS = 50;

/** What groups can be chosen by: label → actions. @type {readonly (readonly [label: string, actions: string])[]} */
const CHOICES = [
  ['something to do', [...CHANGES, 'report'].join(',')],
  ...PLAN_ACTIONS.filter((action) => action !== 'keep').map(
    (action) => /** @type {const} */ ([ACTION_LABELS[action], action]),
  ),
  ['anything', ''],
];

/**
 * @param {string} id
 * @param {AbortSignal} signal
 */
export function syncPlan(id, signal) {
  const choice = h(
    'select',
    { id: 'plan-choice', onchange: () => void load(true) },
    CHOICES.map(([label, value]) => h('option', { value }, label)),
  );
  const list = h('ul', { class: 'groups' });
  const status = h('div', { role: 'status' });
  const more = h(
    'button',
    { type: 'button', hidden: true, onclick: () => void load(false) },
    `Show ${GROUPS} more groups`,
  );
  const element = h(
    'div',
    {},
    h(
      'div',
      { class: 'filter' },
      h('div', { class: 'field' }, h('label', { for: 'plan-choice' }, 'Groups with'), choice),
    ),
    status,
    list,
    more,
  );
  /** @type {string | null} */
  let cursor = null;
  let asked = 0;

  /** @param {boolean} fromStart */
  const load = async (fromStart) => {
    const own = ++asked;
    const action = choice.value;
    try {
      const after = fromStart ? null : cursor;
      /** @type {SyncGroupsPage} */
      const page = await request(syncPath(id, `/groups${query({ action, limit: GROUPS, cursor: after })}`), { signal });
      if (own !== asked) return;
      const items = page.groups.map((group) => groupItem({ id, group, action, signal }));
      if (fromStart) list.replaceChildren(...items);
      else list.append(...items);
      cursor = page.nextCursor;
      more.hidden = cursor === null;
      fill(status, list.childElementCount === 0 && h('p', { class: 'empty' }, 'There is no such group in the plan.'));
      // One group is what is looked for.
      if (list.childElementCount === 1) list.querySelector('details')?.setAttribute('open', '');
    } catch (error) {
      if (!signal.aborted && own === asked) fill(status, errorNotice(error));
    }
  };
  return { element, load: () => load(true) };
}

/** @type {import('../../table.js').Column<MemberAction>[]} */
const COLUMNS = [
  {
    label: 'UID',
    kind: 'main',
    cell: ({ uid }) => h('a', { href: `/members/${encodeURIComponent(uid)}` }, foreign(uid)),
  },
  {
    label: 'What',
    cell: ({ action }) =>
      h('span', { class: 'mark' }, h('span', { class: `swatch ${ACTION_COLOURS[action]}` }), MEMBER_LABELS[action]),
  },
  {
    label: 'From → to',
    kind: 'wide',
    cell: ({ from, to }) => (from === to ? from || '–' : `${from || 'no member'} → ${to || 'no member'}`),
  },
  { label: 'Why', kind: 'wide', cell: ({ sentence }) => foreign(sentence) },
  { label: 'Row', kind: 'number', cell: ({ line }) => (line === null ? '–' : grouped(line)) },
];

/**
 * @param {object} options
 * @param {string} options.id
 * @param {SyncGroup} options.group
 * @param {string} options.action actions to show, separated by commas; '' for all
 * @param {AbortSignal} options.signal
 */
function groupItem({ id, group, action, signal }) {
  const { region, guid, problem, members, actions } = group;
  const place = h('div', {}, h('p', { class: 'empty' }, 'Loading …'));
  const more = h('button', { type: 'button', hidden: true, onclick: () => void load() }, `Show ${MEMBERS} more`);
  const table = dataTable({ caption: `What is done in ${guid}`, columns: COLUMNS, key: ({ uid }) => uid });
  /** @type {MemberAction[]} */
  let shown = [];
  /** @type {string | null} */
  let cursor = null;
  const load = async () => {
    try {
      const wish = { action, region, guid, limit: MEMBERS, cursor };
      /** @type {MemberActionsPage} */
      const page = await request(syncPath(id, `/actions${query(wish)}`), { signal });
      shown = [...shown, ...page.actions];
      cursor = page.nextCursor;
      more.hidden = cursor === null;
      table.show(shown);
      if (shown.length > 0) fill(place, table.element);
      else fill(place, h('p', { class: 'empty' }, 'Nothing is done in this group.'));
    } catch (error) {
      if (!signal.aborted) fill(place, errorNotice(error));
    }
  };
  const open = (/** @type {Event} */ { target }) => {
    if (target instanceof HTMLDetailsElement && target.open && shown.length === 0) void load();
  };
  const counts = h(
    'span',
    { class: 'counts' },
    PLAN_ACTIONS.filter((one) => one !== 'keep' && actions[one] > 0).map((one) =>
      h(
        'span',
        {},
        h('span', { class: `swatch ${ACTION_COLOURS[one]}` }),
        `${grouped(actions[one])} ${ACTION_LABELS[one]}`,
      ),
    ),
    h('span', { class: 'soft' }, `of ${counted(members, 'member')}`),
  );
  const name = h('span', { class: 'name' }, h('b', {}, foreign(guid)), h('span', { class: 'soft' }, ` ${region}`));
  if (problem !== '') return h('li', {}, name, h('p', { class: 'attention' }, foreign(problem)));
  return h('li', {}, h('details', { ontoggle: open }, h('summary', {}, name, counts), place, more));
}
