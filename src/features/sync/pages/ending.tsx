import { Actions } from '../../../console/kit/actions.tsx';
import { Card, syncHref, Tag, Time } from '../../../console/kit/elements.tsx';
import { useFilter } from '../../../console/kit/filter.tsx';
import type { Choice } from '../../../console/kit/form.tsx';
import { type Column, List } from '../../../console/kit/list.tsx';
import { usePlace } from '../../../console/place.ts';
import { addressOf, call } from '../../../console/requests.ts';
import { usePages } from '../../../console/use-answer.ts';
import type { EndingMembership } from '../api.ts';

const isOver = ({ until }: EndingMembership) => Date.parse(until) <= Date.now();

const COLUMNS: Column<EndingMembership>[] = [
  { label: 'User', kind: 'main', cell: 'uid' },
  { label: 'Group', cell: 'guid' },
  { label: 'Region', cell: 'region' },
  {
    label: 'Ends',
    cell: (one) => (
      <>
        <Time iso={one.until} /> {isOver(one) && <Tag>over</Tag>}
      </>
    ),
  },
  { label: 'As said by', kind: 'wide', cell: 'by' },
];

const ALL = 'all';
const CHOICES: Choice[] = [
  ['', 'the next 14 days'],
  ['90d', 'the next 90 days'],
  [ALL, 'all'],
];
const CONDITIONS = { within: { label: 'Within', choices: CHOICES } };

/** Memberships that end, the first to end first, and the removal of those that are over. */
export function Page() {
  const { isOperator, go } = usePlace();
  const filter = useFilter(CONDITIONS);
  const { within = '14d' } = filter.values;
  const query = { within: within === ALL ? '' : within };
  const pages = usePages(addressOf('GET /v1/memberships/ending', { query }), {
    name: 'memberships',
    news: ['sync', 'removed'],
  });
  const expire = async (signal: AbortSignal) =>
    go(syncHref((await call('POST /v1/memberships/expire', { query: {} }, signal)).id));
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
          filter={filter}
          caption="Memberships that end, the first to end first"
          noun="memberships"
          columns={COLUMNS}
          keyOf={({ region, guid, uid }) => `${region} ${guid} ${uid}`}
          empty="No membership ends within this time. Give rows a column until, or an import the option until."
        >
          {isOperator && pages.shown.items?.some(isOver) && (
            <Actions list={[{ text: 'Plan the removal of those that are over', act: expire }]} />
          )}
        </List>
      </Card>
    </>
  );
}
