/** Users by a part of their UID, and what every import did to one of them. */
import { useRef } from 'preact/hooks';
import type { HistoryEntry } from '../answers.ts';
import { query } from '../api.ts';
import { Card, Empty, foreign, importHref, memberHref } from '../element.tsx';
import { useKeptPages } from '../kept-pages.ts';
import { ErrorNotice } from '../notice.tsx';
import { OutcomeMark } from '../outcome-bar.tsx';
import { usePlace, useTitle } from '../place.ts';
import { type Column, DataTable } from '../table.tsx';
import { Time } from '../time.tsx';
import { fileName } from '../words.ts';
import { FoundMembers } from './member/found.tsx';
import { WhereNow } from './member/now.tsx';

const PAGE = 100;

/** A shorter text is taken for a whole UID, as the search takes no less. */
const MIN_OF_UID = 3;

export function MemberPage() {
  const { param: uid, query: wanted, isOperator, go } = usePlace();
  const text = wanted.get('text') ?? '';
  const field = useRef<HTMLInputElement | null>(null);
  useTitle(uid === '' ? '' : `History of ${uid}`);
  const search = (event: SubmitEvent) => {
    event.preventDefault();
    const entered = field.current?.value.trim() ?? '';
    if (entered === '') field.current?.focus();
    else go(entered.length < MIN_OF_UID ? memberHref(entered) : `/members${query({ text: entered })}`);
  };
  return (
    <>
      <h1>{uid === '' ? 'Members' : <>History of {foreign(uid)}</>}</h1>
      <form class="search" role="search" onSubmit={search}>
        <label for="uid">UID of a user, or a part of it</label>
        <div class="joined">
          <input
            id="uid"
            name="uid"
            type="search"
            ref={field}
            defaultValue={uid || text}
            maxLength={200}
            spellcheck={false}
            autocapitalize="none"
          />
          <button type="submit" class="main">
            Search
          </button>
        </div>
      </form>
      {uid !== '' ? (
        <div class="stack">
          {isOperator && <WhereNow uid={uid} />}
          <Card id="history" title="History">
            <History uid={uid} />
          </Card>
        </div>
      ) : text !== '' ? (
        <div class="card">
          <FoundMembers text={text} />
        </div>
      ) : (
        <Empty>Enter a UID, or {MIN_OF_UID} characters of it or more, to see what every import did to this user.</Empty>
      )}
    </>
  );
}

const COLUMNS: Column<HistoryEntry>[] = [
  { label: 'When', cell: ({ at }) => <Time iso={at} /> },
  {
    label: 'Import',
    kind: 'main',
    cell: ({ importId, file, line }) => (
      <>
        <a href={importHref(importId)}>{foreign(fileName(file))}</a>
        <span class="soft"> row {line}</span>
      </>
    ),
  },
  { label: 'Group', cell: ({ guid }) => foreign(guid) },
  { label: 'Region', cell: ({ region }) => region },
  { label: 'Scope', cell: ({ scope }) => scope },
  { label: 'Outcome', cell: ({ status, scope }) => <OutcomeMark outcome={status} scope={scope} /> },
  {
    label: 'Message',
    kind: 'wide',
    cell: ({ code, message }) => (
      <>
        {code !== '' && <code>{code}</code>}
        {code !== '' && ' '}
        {foreign(message)}
      </>
    ),
  },
];

function History({ uid }: { uid: string }) {
  const pages = useKeptPages<HistoryEntry>(`/v1/members/${encodeURIComponent(uid)}/history`, {
    name: 'entries',
    limit: PAGE,
  });
  const { items, hasMore, error } = pages;
  if (error !== undefined) return <ErrorNotice error={error} />;
  if (items === undefined) return <Empty>Searching all imports …</Empty>;
  if (items.length === 0) {
    return (
      <Empty>
        No import has a row for {foreign(uid)}. Upper and lower case do not matter. To search for a part of a UID, enter
        3 characters or more.
      </Empty>
    );
  }
  return (
    <>
      <DataTable
        caption={`What imports did to ${uid}`}
        columns={COLUMNS}
        items={items}
        // A row of one import may stand there twice in all but its outcome; entries only ever follow.
        keyOf={(_, index) => index}
      />
      {hasMore && (
        <button type="button" onClick={() => void pages.more()}>
          Show {PAGE} more
        </button>
      )}
    </>
  );
}
