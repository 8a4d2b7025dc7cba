import { Card, foreign, Time } from '../../../console/kit/elements.tsx';
import { type Column, List } from '../../../console/kit/list.tsx';
import { addressOf } from '../../../console/requests.ts';
import { usePages } from '../../../console/use-answer.ts';
import type { EndingMembership } from '../api.ts';

const COLUMNS: Column<EndingMembership>[] = [
  { label: 'User', kind: 'main', cell: ({ uid }) => foreign(uid) },
  { label: 'Group', cell: ({ guid }) => foreign(guid) },
  { label: 'Region', cell: ({ region }) => region },
  { label: 'Ends', cell: ({ until }) => <Time iso={until} /> },
  { label: 'As said by', kind: 'wide', cell: ({ by }) => foreign(by) },
];

/** Memberships that end, the first to end first. */
export function EndingPage() {
  const pages = usePages(addressOf('GET /v1/memberships/ending', { query: {} }), {
    name: 'memberships',
    news: ['sync', 'removed'],
  });
  return (
    <>
      <h1>Ending soon</h1>
      <p class="lead">
        A row of a file may say until when its user is a member. Once a day, a sync removes the members whose
        memberships are over.
      </p>
      <Card id="all" title="Memberships that end">
        <List
          pages={pages}
          caption="Memberships that end, the first to end first"
          columns={COLUMNS}
          keyOf={({ region, guid, uid }) => `${region} ${guid} ${uid}`}
          empty="No membership ends. Give rows a column until, or an import the option until."
        />
      </Card>
    </>
  );
}
