/** Users by a part of their UID, and what every import did to one of them. */
import { useRef } from 'preact/hooks';
import { query } from '../api.js';
import { Card, Empty, foreign, h, importHref, memberHref } from '../element.js';
import { useKeptPages } from '../kept-pages.js';
import { ErrorNotice } from '../notice.js';
import { OutcomeMark } from '../outcome-bar.js';
import { usePlace, useTitle } from '../place.js';
import { dataTable } from '../table.js';
import { Time } from '../time.js';
import { fileName } from '../words.js';
import { FoundMembers } from './member/found.js';
import { WhereNow } from './member/now.js';

/** @import { HistoryEntry } from '../answers.d.ts' */

const PAGE = 100;

/** A shorter text is taken for a whole UID, as the search takes no less. */
const MIN_OF_UID = 3;

export function MemberPage() {
  const { param: uid, query: wanted, isOperator, go } = usePlace();
  const text = wanted.get('text') ?? '';
  const field = useRef(/** @type {HTMLInputElement | null} */ (null));
  useTitle(uid === '' ? '' : `History of ${uid}`);
  /** @param {SubmitEvent} event */
  const search = (event) => {
    event.preventDefault();
    const entered = field.current?.value.trim() ?? '';
    if (entered === '') field.current?.focus();
    else go(entered.length < MIN_OF_UID ? memberHref(entered) : `/members${query({ text: entered })}`);
  };
  return [
    h('h1', null, uid === '' ? 'Members' : ['History of ', foreign(uid)]),
    h(
      'form',
      { class: 'search', role: 'search', onSubmit: search },
      h('label', { for: 'uid' }, 'UID of a user, or a part of it'),
      h(
        'div',
        { class: 'joined' },
        h('input', {
          id: 'uid',
          name: 'uid',
          type: 'search',
          ref: field,
          defaultValue: uid || text,
          maxLength: 200,
          spellcheck: false,
          autocapitalize: 'none',
        }),
        h('button', { class: 'main' }, 'Search'),
      ),
    ),
    uid !== ''
      ? h(
          'div',
          { class: 'stack' },
          isOperator && h(WhereNow, { uid }),
          h(Card, { id: 'history', title: 'History' }, h(History, { uid })),
        )
      : text !== ''
        ? h('div', { class: 'card' }, h(FoundMembers, { text }))
        : h(
            Empty,
            {},
            `Enter a UID, or ${MIN_OF_UID} characters of it or more, to see what every import did to this user.`,
          ),
  ];
}

/** @type {import('../table.js').Column<HistoryEntry>[]} */
const COLUMNS = [
  { label: 'When', cell: ({ at }) => h(Time, { iso: at }) },
  {
    label: 'Import',
    kind: 'main',
    cell: ({ importId, file, line }) => [
      h('a', { href: importHref(importId) }, foreign(fileName(file))),
      h('span', { class: 'soft' }, ` row ${line}`),
    ],
  },
  { label: 'Group', cell: ({ guid }) => foreign(guid) },
  { label: 'Region', cell: ({ region }) => region },
  { label: 'Scope', cell: ({ scope }) => scope },
  { label: 'Outcome', cell: ({ status, scope }) => h(OutcomeMark, { outcome: status, scope }) },
  {
    label: 'Message',
    kind: 'wide',
    cell: ({ code, message }) => [code !== '' && h('code', null, code), code !== '' && ' ', foreign(message)],
  },
];

/** @param {{ uid: string }} properties */
function History({ uid }) {
  /** @type {import('../answer.js').Pages<HistoryEntry>} */
  const pages = useKeptPages(`/v1/members/${encodeURIComponent(uid)}/history`, { name: 'entries', limit: PAGE });
  const { items, hasMore, error } = pages;
  if (error !== undefined) return h(ErrorNotice, { error });
  if (items === undefined) return h(Empty, {}, 'Searching all imports …');
  if (items.length === 0) {
    return h(
      Empty,
      {},
      'No import has a row for ',
      foreign(uid),
      '. Upper and lower case do not matter. To search for a part of a UID, enter 3 characters or more.',
    );
  }
  return [
    dataTable({
      caption: `What imports did to ${uid}`,
      columns: COLUMNS,
      items,
      // A row of one import may stand there twice in all but its outcome; entries only ever follow.
      keyOf: (_, index) => index,
    }),
    hasMore && h('button', { type: 'button', onClick: () => void pages.more() }, `Show ${PAGE} more`),
  ];
}
