/** The columns of an import's rows: in the table, and as text to paste. */
import { foreign, h, memberHref } from '../../element.js';
import { grouped } from '../../format.js';
import { OutcomeMark } from '../../outcome-bar.js';
import { messageWords, outcomeLabel } from '../../words.js';

/** @import { RowView, Verdict } from '../../answers.d.ts' */

/** What rows can be sorted by, also where no column heads are seen. @type {import('../../form.js').Choice[]} */
export const ROW_ORDERS = [
  ['row asc', 'row'],
  ['row desc', 'row, last first'],
  ['uid asc', 'UID'],
  ['uid desc', 'UID, Z to A'],
  ['guid asc', 'group'],
  ['guid desc', 'group, Z to A'],
  ['outcome asc', 'outcome'],
  ['outcome desc', 'outcome, backwards'],
  ['code asc', 'code'],
  ['code desc', 'code, Z to A'],
  ['finished asc', 'time'],
  ['finished desc', 'time, latest first'],
];

/** What the check said of one row. @type {Readonly<Partial<Record<Verdict, string>>>} */
const VERDICTS = {
  add: 'would be added',
  create: 'would be created and added',
  ban: 'would be banned',
  change: 'would get this scope',
  remove: 'would be removed',
  unban: 'the ban would be lifted',
  nothing_to_do: 'nothing to do',
  lifts_ban: 'is banned: adding lifts the ban',
  already_member: 'already a member',
  already_banned: 'already banned',
  other_scope: 'a member with another scope, which stays',
  fail: 'would fail',
  not_checked: 'could not be checked',
};

/** @type {import('../../table.js').Column<RowView>} */
const CHECK = {
  label: 'Check',
  kind: 'wide',
  cell: ({ check }) => {
    if (check === undefined) return h('span', { class: 'soft' }, '–');
    const [verdict = '', code = ''] = check.split(':', 2);
    const label = VERDICTS[/** @type {Verdict} */ (verdict)] ?? verdict;
    return [label, code !== '' && ' ', code !== '' && h('code', null, code)];
  },
};

/** @param {(row: RowView) => void} onDetails @param {boolean} hasCheck whether what a check said stands beside them @returns {import('../../table.js').Column<RowView>[]} */
export function rowColumns(onDetails, hasCheck) {
  return [
    { label: 'Row', kind: 'number', sort: 'row', cell: ({ line }) => grouped(line) },
    {
      label: 'UID',
      kind: 'main',
      sort: 'uid',
      cell: ({ uid }) =>
        uid === '' ? h('span', { class: 'soft' }, '–') : h('a', { href: memberHref(uid) }, foreign(uid)),
    },
    { label: 'Group', sort: 'guid', cell: ({ guid }) => foreign(guid) },
    { label: 'Region', cell: ({ region }) => region },
    { label: 'Scope', cell: ({ scope }) => scope },
    { label: 'Outcome', sort: 'outcome', cell: ({ status, scope }) => h(OutcomeMark, { outcome: status, scope }) },
    ...(hasCheck ? [CHECK] : []),
    {
      label: 'Message',
      kind: 'wide',
      sort: 'code',
      sortLabel: 'Code and message',
      cell: ({ code, message }) => [
        code !== '' && h('code', null, code),
        code !== '' && ' ',
        foreign(messageWords(message)),
      ],
    },
    {
      label: 'Details',
      cell: (row) =>
        h(
          'button',
          {
            type: 'button',
            class: 'quiet small-button',
            'aria-label': `Details of row ${grouped(row.line)}`,
            'aria-haspopup': 'dialog',
            onClick: () => onDetails(row),
          },
          'Details',
        ),
    },
  ];
}

const COPIED = /** @type {const} */ (['row', 'uid', 'group', 'region', 'scope', 'outcome', 'code', 'message']);

/** Rows as lines with tabs between the cells, as spreadsheets take them. @param {readonly RowView[]} rows */
export function rowsAsText(rows) {
  const lines = rows.map(({ line, uid, guid, region, scope, status, code, message }) =>
    [String(line), uid, guid, region, scope, status === null ? '' : outcomeLabel(status, scope), code, message]
      .map(cellText)
      .join('\t'),
  );
  return `${[COPIED.join('\t'), ...lines].join('\n')}\n`;
}

/** On one line; what a spreadsheet would take for a formula becomes a text. @param {string} text */
function cellText(text) {
  const line = text.replace(/[\t\r\n]+/g, ' ');
  return /^[=+@]|^-(?![\w-]*$)/.test(line) ? `'${line}` : line;
}
