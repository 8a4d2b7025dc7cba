/** What every import did to one user. */
import { useRef } from 'preact/hooks';
import { Empty, foreign, h, importHref, memberHref } from '../element.js';
import { useKeptPages } from '../kept-pages.js';
import { ErrorNotice } from '../notice.js';
import { OutcomeMark } from '../outcome-bar.js';
import { usePlace, useTitle } from '../place.js';
import { dataTable } from '../table.js';
import { Time } from '../time.js';
import { fileName } from '../words.js';

/** @import { HistoryEntry } from '../answers.d.ts' */

const PAGE = 100;

export function MemberPage() {
  const { param: uid, go } = usePlace();
  const field = useRef(/** @type {HTMLInputElement | null} */ (null));
  useTitle(uid === '' ? '' : `History of ${uid}`);
  /** @param {SubmitEvent} event */
  const search = (event) => {
    event.preventDefault();
    const wanted = field.current?.value.trim() ?? '';
    if (wanted !== '') go(memberHref(wanted));
    else field.current?.focus();
  };
  return [
    h('h1', null, uid === '' ? 'Members' : ['History of ', foreign(uid)]),
    h(
      'form',
      { class: 'search', role: 'search', onSubmit: search },
      h('label', { for: 'uid' }, 'UID of a user'),
      h(
        'div',
        { class: 'joined' },
        h('input', {
          id: 'uid',
          name: 'uid',
          type: 'search',
          ref: field,
          defaultValue: uid,
          spellcheck: false,
          autocapitalize: 'none',
        }),
        h('button', { class: 'main' }, 'Search'),
      ),
    ),
    uid === ''
      ? h(Empty, {}, 'Enter a UID to see what every import did to this user.')
      : h('div', { class: 'card' }, h(History, { uid })),
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
      '. Enter the whole UID; upper and lower case do not matter.',
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
