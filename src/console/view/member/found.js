/** Users by a part of their UID, each with the way to what imports did to them. */
import { query } from '../../api.js';
import { Empty, foreign, h, importHref, memberHref } from '../../element.js';
import { counted, grouped } from '../../format.js';
import { useKeptPages } from '../../kept-pages.js';
import { ErrorNotice } from '../../notice.js';
import { dataTable } from '../../table.js';
import { Time } from '../../time.js';
import { fileName } from '../../words.js';

/** @import { FoundMember } from '../../answers.d.ts' */

const PAGE = 50;

/** @type {import('../../table.js').Column<FoundMember>[]} */
const COLUMNS = [
  { label: 'User', kind: 'main', cell: ({ uid }) => h('a', { href: memberHref(uid) }, foreign(uid)) },
  { label: 'Rows', kind: 'number', cell: ({ rows }) => grouped(rows) },
  { label: 'Imports', kind: 'number', cell: ({ imports }) => grouped(imports) },
  {
    label: 'Newest import',
    cell: ({ newest: { importId, file } }) => h('a', { href: importHref(importId) }, foreign(fileName(file))),
  },
  { label: 'Made', cell: ({ newest: { createdAt } }) => h(Time, { iso: createdAt }) },
];

/** @param {{ text: string }} properties */
export function FoundMembers({ text }) {
  /** @type {import('../../answer.js').Pages<FoundMember>} */
  const pages = useKeptPages(`/v1/members${query({ text })}`, { name: 'members', limit: PAGE });
  const { items, hasMore, error } = pages;
  if (error !== undefined) return h(ErrorNotice, { error });
  if (items === undefined) return h(Empty, {}, 'Searching all imports …');
  const users = together(items, text);
  return [
    h(
      'p',
      { key: 'count', role: 'status' },
      users.length === 0
        ? ['No import has a user with ', foreign(text), ' in the UID. Upper and lower case do not matter.']
        : [
            `${counted(users.length, 'user')} with `,
            foreign(text),
            hasMore ? ' so far. More of them, or older rows of these, may follow.' : ' in the UID.',
          ],
    ),
    users.length > 0 &&
      dataTable({ caption: 'Users found', columns: COLUMNS, items: users, keyOf: ({ uid }) => uid.toLowerCase() }),
    hasMore && h('button', { key: 'more', type: 'button', onClick: () => void pages.more() }, `Show ${PAGE} more`),
  ];
}

/**
 * Each user once: a page counts its own imports only. Who has exactly this UID comes first.
 * @param {readonly FoundMember[]} items newest import first
 * @param {string} text
 */
function together(items, text) {
  /** @type {Map<string, FoundMember>} */
  const users = new Map();
  for (const item of items) {
    const key = item.uid.toLowerCase();
    const known = users.get(key);
    users.set(
      key,
      known === undefined ? item : { ...known, rows: known.rows + item.rows, imports: known.imports + item.imports },
    );
  }
  /** @param {FoundMember} user */
  const isExact = ({ uid }) => Number(uid.toLowerCase() === text.toLowerCase());
  return [...users.values()].toSorted((one, other) => isExact(other) - isExact(one));
}
