/** Two syncs side by side: what each does, and in which groups they differ. */
import { useSignal } from '@preact/signals';
import type { SyncEntry } from '../../../console/answers.ts';
import { type Column, DataTable } from '../../../console/data-table.tsx';
import { Badge, Card, Empty, foreign, Pending, syncHref, Time } from '../../../console/elements.tsx';
import { useFilter } from '../../../console/filter-fields.tsx';
import { type Choice, FilterChoice } from '../../../console/form.tsx';
import { timeToTheSecond } from '../../../console/format.ts';
import { fileName } from '../../../console/import-words.ts';
import { PagedTable } from '../../../console/paged-table.tsx';
import { useTitle } from '../../../console/place.ts';
import { type Address, query, requestsOf } from '../../../console/requests.ts';
import { SYNC_TONES } from '../../../console/sync-words.ts';
import { useAnswer, usePages } from '../../../console/use-answer.ts';
import { grouped } from '../../../text/wording.ts';
import type { ComparedCounts, ComparedGroup, Comparison } from '../api.ts';
import type { syncOperations } from '../operations.ts';

const { addressOf } = requestsOf<typeof syncOperations>();

const GROUPS = 50;
const OFFERED = 200;

/** Numbers that are compared. */
const NUMBERS: readonly (readonly [label: string, name: keyof ComparedCounts])[] = [
  ['Add', 'add'],
  ['Raise', 'raise'],
  ['Lower', 'lower'],
  ['Remove', 'remove'],
  ['Ban', 'ban'],
  ['Failed', 'failed'],
];

/** `/syncs/compare?first=…&second=…` */
export function ComparePage() {
  const { chosen, values } = useFilter(['first', 'second']);
  const { first = '', second = '' } = values;
  const shown = useSignal('');
  useTitle('Compare two syncs');
  const { data } = useAnswer(addressOf('GET /v1/syncs', { query: { limit: OFFERED } }));
  const choices = choicesOf(data?.syncs ?? []);
  const isReady = first !== '' && second !== '' && first !== second;
  return (
    <>
      <p class="kicker">
        <a href="/syncs">Syncs</a>
      </p>
      <h1 tabIndex={-1}>Compare two syncs</h1>
      <div class="filter">
        <FilterChoice id="first" label="First" choices={choices} {...chosen('first')} />
        <FilterChoice id="second" label="Second" choices={choices} {...chosen('second')} />
        <FilterChoice
          id="shown"
          label="Groups"
          value={shown.value}
          choices={[
            ['', 'that differ'],
            ['true', 'all'],
          ]}
          onChoose={(value) => {
            shown.value = value;
          }}
        />
      </div>
      {isReady ? (
        <Compared key={`${first} ${second}`} first={first} second={second} all={shown.value} />
      ) : (
        <Empty>{first !== '' && first === second ? 'Choose two different syncs.' : 'Choose two syncs.'}</Empty>
      )}
    </>
  );
}

function choicesOf(syncs: readonly SyncEntry[]): Choice[] {
  const planned = syncs.filter(({ totals }) => totals !== null);
  return [
    ['', 'choose …'],
    ...planned.map(
      ({ id, createdAt, schedule, file }) =>
        [id, `${timeToTheSecond(createdAt)} · ${schedule ?? fileName(file)}`] as const,
    ),
  ];
}

function Compared({ first, second, all }: { first: string; second: string; all: string }) {
  const { data, error } = useAnswer(
    addressOf('GET /v1/syncs/:id/compare', { id: first, query: { with: second, limit: 1 } }),
  );
  if (error !== undefined || data === undefined) return <Pending error={error} />;
  return (
    <div class="stack">
      <Card id="totals" title="In all groups">
        <Totals comparison={data} />
      </Card>
      <Card id="groups" title={all === 'true' ? 'All groups' : 'Groups that differ'}>
        <Groups key={all} path={addressOf('GET /v1/syncs/:id/compare', { id: first, query: { with: second, all } })} />
      </Card>
    </div>
  );
}

function Totals({ comparison: { first, second } }: { comparison: Comparison }) {
  const rows = [first, second].map((sync) => ({ sync, actions: sync.totals?.actions }));
  return <DataTable caption="Both syncs in numbers" columns={TOTALS} items={rows} keyOf={({ sync }) => sync.id} />;
}

type Side = { sync: Comparison['first']; actions: NonNullable<Comparison['first']['totals']>['actions'] | undefined };

const TOTALS: Column<Side>[] = [
  {
    label: 'Sync',
    kind: 'main',
    cell: ({ sync }) => (
      <>
        <a href={syncHref(sync.id)}>{foreign(sync.schedule ?? fileName(sync.file))}</a>
        <p class="note">
          <Time iso={sync.createdAt} />
        </p>
      </>
    ),
  },
  { label: 'State', cell: ({ sync }) => <Badge tone={SYNC_TONES[sync.state]}>{sync.state}</Badge> },
  { label: 'Groups', kind: 'number', cell: ({ sync }) => grouped(sync.totals?.groups ?? 0) },
  { label: 'Add', kind: 'number', cell: ({ actions }) => grouped(actions?.add ?? 0) },
  { label: 'Change', kind: 'number', cell: ({ actions }) => grouped(actions?.change ?? 0) },
  { label: 'Remove', kind: 'number', cell: ({ actions }) => grouped(actions?.remove ?? 0) },
  { label: 'Ban', kind: 'number', cell: ({ actions }) => grouped(actions?.ban ?? 0) },
  { label: 'Failed', kind: 'number', cell: ({ sync }) => grouped(sync.failed) },
];

function Groups({ path }: { path: Address<Comparison> }) {
  const pages = usePages(path, { name: 'groups', limit: GROUPS });
  return (
    <PagedTable
      pages={pages}
      step={GROUPS}
      noun="groups"
      caption="What both do in each group: first → second"
      columns={GROUP_COLUMNS}
      keyOf={({ region, guid }) => `${region} ${guid}`}
      empty="Both do the same in every group."
    />
  );
}

const GROUP_COLUMNS: Column<ComparedGroup>[] = [
  {
    label: 'Group',
    kind: 'main',
    cell: ({ region, guid, first, second }) => (
      <>
        {foreign(guid)}
        <span class="soft"> {region}</span>
        {first === null && <p class="note">only in the second</p>}
        {second === null && <p class="note">only in the first</p>}
      </>
    ),
  },
  ...NUMBERS.map(
    ([label, name]): Column<ComparedGroup> => ({
      label,
      kind: 'number',
      cell: ({ first, second }) => difference(first?.[name] ?? 0, second?.[name] ?? 0),
    }),
  ),
];

function difference(before: number, after: number) {
  if (before === after) return before === 0 ? <span class="soft">–</span> : grouped(before);
  const sign = after > before ? '+' : '−';
  return (
    <>
      {grouped(before)} → {grouped(after)}{' '}
      <b>
        ({sign}
        {grouped(Math.abs(after - before))})
      </b>
    </>
  );
}

export function compareHref(first: string, second: string) {
  return `/syncs/compare${query({ first, second })}`;
}
