/** The audit log: found by words, people, actions and days, with links to the things acted on. */
import type { AuditPage } from '../answers.ts';
import { Card, Empty, foreign, importHref, syncHref, Time } from '../kit/elements.tsx';
import { daysAsked, useFilter } from '../kit/filter.tsx';
import type { Choice } from '../kit/form.tsx';
import { type Column, List } from '../kit/list.tsx';
import { usePlace } from '../place.ts';
import { addressOf } from '../requests.ts';
import { usePages } from '../use-answer.ts';

type Entry = AuditPage['entries'][number];

const ACTIONS: Choice[] = [
  ['', 'all'],
  ['import', 'imports'],
  ['sync', 'syncs'],
  ['schedule', 'schedules'],
  ['export', 'exports'],
  ['recipe', 'recipes'],
  ['token', 'tokens'],
  ['notify', 'notifications'],
  ['session', 'logins'],
];

const CONDITIONS = {
  search: { label: 'Search', placeholder: 'id, detail or address' },
  who: { label: 'Who', placeholder: 'whole name' },
  action: { label: 'What', choices: ACTIONS },
  from: { label: 'From', type: 'date' },
  to: { label: 'To', type: 'date' },
} as const;

export function Page() {
  const { isOperator } = usePlace();
  return (
    <>
      <h1>Audit log</h1>
      <p class="lead">Who did what, in the console, over the API and on the command line of this machine.</p>
      {isOperator ? (
        <Card id="entries" title="Entries">
          <AuditLog />
        </Card>
      ) : (
        <Empty>The audit log is for operators.</Empty>
      )}
    </>
  );
}

const COLUMNS: Column<Entry>[] = [
  { label: 'When', cell: ({ at }) => <Time iso={at} seconds /> },
  { label: 'Who', kind: 'main', cell: 'who' },
  { label: 'What', cell: ({ action }) => <code>{action}</code> },
  { label: 'Target', cell: targetOf },
  { label: 'Detail', kind: 'wide', cell: 'detail' },
  { label: 'From', cell: 'address' },
];

/** Returns the thing acted on, as a link if it has a page. */
function targetOf({ action, target }: Entry) {
  const [kind] = action.split('.');
  const isSync = kind === 'sync' || action === 'import.undo';
  const href = isSync
    ? syncHref(target)
    : kind === 'import' && action !== 'import.delete'
      ? importHref(target)
      : kind === 'schedule'
        ? '/schedules'
        : kind === 'export'
          ? '/exports'
          : undefined;
  return href === undefined || target === '' ? foreign(target) : <a href={href}>{foreign(target)}</a>;
}

function AuditLog() {
  const filter = useFilter(CONDITIONS);
  const pages = usePages(addressOf('GET /v1/audit', { query: daysAsked(filter.values) }), { name: 'entries' });
  return (
    <List
      pages={pages}
      filter={filter}
      caption="What was done, newest first"
      noun="entries"
      columns={COLUMNS}
      // Entries are only ever added.
      keyOf={(_, index) => index}
      opens={({ action, target }) => `Details of ${action} ${target}`}
      empty="Nothing yet. Uploads, pauses, cancellations and so on will be listed here."
    />
  );
}
