/** The columns of an import's rows: in the table, and as text to paste. */
import { grouped } from '../../../text/wording.ts';
import type { RowView, Verdict } from '../../answers.ts';
import { messageWords, outcomeLabel } from '../../import-words.ts';
import { foreign, memberHref, OutcomeMark } from '../../kit/elements.tsx';
import type { Choice } from '../../kit/form.tsx';
import type { Column } from '../../kit/list.tsx';

/** Orders of the rows, also for screens without column heads. */
export const ROW_ORDERS: Choice[] = [
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

/** The words for a row's verdict. */
export const VERDICTS: Readonly<Partial<Record<Verdict, string>>> = {
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

const CHECK: Column<RowView> = {
  label: 'Check',
  kind: 'wide',
  cell: ({ check }) => {
    if (check === undefined) return <span class="soft">–</span>;
    const [verdict = '', code = ''] = check.split(':', 2);
    const label = VERDICTS[verdict as Verdict] ?? verdict;
    return (
      <>
        {label}
        {code !== '' && ' '}
        {code !== '' && <code>{code}</code>}
      </>
    );
  },
};

/** @param hasCheck whether what a check said stands beside them */
export function rowColumns(onDetails: (row: RowView) => void, hasCheck: boolean): Column<RowView>[] {
  return [
    { label: 'Row', kind: 'number', sort: 'row', cell: ({ line }) => grouped(line) },
    {
      label: 'UID',
      kind: 'main',
      sort: 'uid',
      cell: ({ uid }) => (uid === '' ? <span class="soft">–</span> : <a href={memberHref(uid)}>{foreign(uid)}</a>),
    },
    { label: 'Group', sort: 'guid', cell: ({ guid }) => foreign(guid) },
    { label: 'Region', cell: ({ region }) => region },
    { label: 'Scope', cell: ({ scope }) => scope },
    { label: 'Outcome', sort: 'outcome', cell: ({ status, scope }) => <OutcomeMark outcome={status} scope={scope} /> },
    ...(hasCheck ? [CHECK] : []),
    {
      label: 'Message',
      kind: 'wide',
      sort: 'code',
      sortLabel: 'Code and message',
      cell: ({ code, message }) => (
        <>
          {code !== '' && <code>{code}</code>}
          {code !== '' && ' '}
          {foreign(messageWords(message))}
        </>
      ),
    },
    {
      label: 'Details',
      cell: (row) => (
        <button
          type="button"
          class="opens"
          aria-label={`Details of row ${grouped(row.line)}`}
          aria-haspopup="dialog"
          onClick={() => onDetails(row)}
        >
          <span aria-hidden>›</span>
        </button>
      ),
    },
  ];
}

const COPIED = ['row', 'uid', 'group', 'region', 'scope', 'outcome', 'code', 'message'] as const;

/** Rows as lines with tabs between the cells, as spreadsheets take them. */
export function rowsAsText(rows: readonly RowView[]) {
  const lines = rows.map(({ line, uid, guid, region, scope, status, code, message }) =>
    [String(line), uid, guid, region, scope, status === null ? '' : outcomeLabel(status, scope), code, message]
      .map(cellText)
      .join('\t'),
  );
  return `${[COPIED.join('\t'), ...lines].join('\n')}\n`;
}

/** On one line; what a spreadsheet would take for a formula becomes a text. */
function cellText(text: string) {
  const line = text.replace(/[\t\r\n]+/g, ' ');
  return /^[=+@]|^-(?![\w-]*$)/.test(line) ? `'${line}` : line;
}
