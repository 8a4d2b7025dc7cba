/** Users by a part of their UID, each with the way to what imports did to them. */
import type { FoundMember } from '../../answers.ts';
import { query } from '../../api.ts';
import { Empty, foreign, importHref, memberHref } from '../../element.tsx';
import { counted, grouped } from '../../format.ts';
import { useKeptPages } from '../../kept-pages.ts';
import { ErrorNotice } from '../../notice.tsx';
import { type Column, DataTable } from '../../table.tsx';
import { Time } from '../../time.tsx';
import { fileName } from '../../words.ts';

const PAGE = 50;

const COLUMNS: Column<FoundMember>[] = [
  { label: 'User', kind: 'main', cell: ({ uid }) => <a href={memberHref(uid)}>{foreign(uid)}</a> },
  { label: 'Rows', kind: 'number', cell: ({ rows }) => grouped(rows) },
  { label: 'Imports', kind: 'number', cell: ({ imports }) => grouped(imports) },
  {
    label: 'Newest import',
    cell: ({ newest: { importId, file } }) => <a href={importHref(importId)}>{foreign(fileName(file))}</a>,
  },
  { label: 'Made', cell: ({ newest: { createdAt } }) => <Time iso={createdAt} /> },
];

export function FoundMembers({ text }: { text: string }) {
  const pages = useKeptPages<FoundMember>(`/v1/members${query({ text })}`, { name: 'members', limit: PAGE });
  const { items, hasMore, error } = pages;
  if (error !== undefined) return <ErrorNotice error={error} />;
  if (items === undefined) return <Empty>Searching all imports …</Empty>;
  const users = together(items, text);
  return (
    <>
      <p role="status">
        {users.length === 0 ? (
          <>No import has a user with {foreign(text)} in the UID. Upper and lower case do not matter.</>
        ) : (
          <>
            {counted(users.length, 'user')} with {foreign(text)}
            {hasMore ? ' so far. More of them, or older rows of these, may follow.' : ' in the UID.'}
          </>
        )}
      </p>
      {users.length > 0 && (
        <DataTable caption="Users found" columns={COLUMNS} items={users} keyOf={({ uid }) => uid.toLowerCase()} />
      )}
      {hasMore && (
        <button type="button" onClick={() => void pages.more()}>
          Show {PAGE} more
        </button>
      )}
    </>
  );
}

/**
 * Each user once: a page counts its own imports only. The user with exactly this UID comes first.
 * @param items newest import first
 */
function together(items: readonly FoundMember[], text: string) {
  const users = new Map<string, FoundMember>();
  for (const item of items) {
    const key = item.uid.toLowerCase();
    const known = users.get(key);
    users.set(
      key,
      known === undefined ? item : { ...known, rows: known.rows + item.rows, imports: known.imports + item.imports },
    );
  }
  const isExact = ({ uid }: FoundMember) => Number(uid.toLowerCase() === text.toLowerCase());
  return [...users.values()].toSorted((one, other) => isExact(other) - isExact(one));
}
