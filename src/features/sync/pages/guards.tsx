/** The reasons why a plan is held: the objections by guard, with the groups of each. */
import { useSignal } from '@preact/signals';
import { usePages } from '../../../console/answer.ts';
import { query, syncPath } from '../../../console/api.ts';
import { foreign } from '../../../console/element.tsx';
import { TypedFilter } from '../../../console/filter-fields.tsx';
import { counted, grouped } from '../../../console/format.ts';
import { ListState } from '../../../console/notice.tsx';
import { REMOVAL_GUARDS } from '../../../console/sync-words.ts';
import { type Column, DataTable } from '../../../console/table.tsx';
import type { GuardFinding, GuardObjections } from '../api-plan.ts';

const SHOWN = 50;

const SUMMARY: Column<GuardObjections>[] = [
  {
    label: 'Guard',
    kind: 'main',
    cell: ({ guard, meaning }) => (
      <>
        <code>{guard}</code>
        <p class="note">{meaning}</p>
      </>
    ),
  },
  { label: 'Objections', kind: 'number', cell: ({ count }) => grouped(count) },
  {
    label: 'Members',
    kind: 'number',
    cell: ({ guard, total }) => (REMOVAL_GUARDS.has(guard) ? grouped(total) : '–'),
  },
  {
    label: 'Worst',
    kind: 'wide',
    cell: ({ worst }) => foreign(worst.sentence),
  },
];
/** While someone can still decide. */
const TO_DECIDE: typeof SUMMARY = [...SUMMARY, { label: 'What to do', kind: 'wide', cell: ({ remedy }) => remedy }];

interface SyncGuardsProperties {
  id: string;
  guards: readonly GuardObjections[];
  isHeld: boolean;
}

export function SyncGuards({ id, guards, isHeld }: SyncGuardsProperties) {
  return (
    <div class="stack">
      <DataTable
        caption={isHeld ? 'Guards that object' : 'Guards that objected'}
        columns={isHeld ? TO_DECIDE : SUMMARY}
        items={guards}
        keyOf={({ guard }) => guard}
      />
      {guards
        .filter(({ count }) => count > 1)
        .map((objections) => (
          <Objections key={objections.guard} id={id} objections={objections} />
        ))}
    </div>
  );
}

function Objections({ id, objections: { guard, count } }: { id: string; objections: GuardObjections }) {
  const opened = useSignal(false);
  return (
    <details
      onToggle={({ currentTarget }) => {
        opened.value ||= currentTarget.open;
      }}
    >
      <summary>
        {counted(count, 'group')} of <code>{guard}</code>
      </summary>
      {opened.value && <GroupList id={id} guard={guard} isLong={count > SHOWN} />}
    </details>
  );
}

const GROUPS: Column<GuardFinding>[] = [
  { label: 'Group', kind: 'main', cell: ({ guid }) => foreign(guid ?? '') ?? 'all groups' },
  { label: 'Region', cell: ({ region }) => region ?? 'all' },
  { label: 'Found', kind: 'number', cell: ({ value }) => grouped(value) },
  { label: 'Allowed', kind: 'number', cell: ({ limit }) => grouped(limit) },
  { label: 'Members', kind: 'number', cell: ({ members }) => (members === null ? '–' : grouped(members)) },
];
/** Columns for objections whose numbers do not tell enough. */
const GROUPS_IN_WORDS: Column<GuardFinding>[] = [
  ...GROUPS.slice(0, 2),
  { label: 'Why', kind: 'wide', cell: ({ sentence }) => foreign(sentence) },
];

function GroupList({ id, guard, isLong }: { id: string; guard: string; isLong: boolean }) {
  const search = useSignal('');
  const pages = usePages<GuardFinding>(syncPath(id, `/findings${query({ guard, search: search.value })}`), {
    name: 'findings',
    limit: SHOWN,
  });
  const { items, error, hasMore } = pages;
  return (
    <div class="stack">
      {isLong && (
        <div class="filter">
          <TypedFilter
            id={`search-${guard}`}
            label="Find a group"
            value={search.value}
            onValue={(text) => (search.value = text)}
          />
        </div>
      )}
      <ListState error={error} items={items} empty="No group fits." />
      {items !== undefined && items.length > 0 && (
        <DataTable
          caption={`Groups that ${guard} objects to, the worst first`}
          columns={REMOVAL_GUARDS.has(guard) ? GROUPS : GROUPS_IN_WORDS}
          items={items}
          keyOf={({ region, guid }, index) => `${region} ${guid} ${index}`}
        />
      )}
      {hasMore && (
        <button type="button" onClick={() => void pages.more()}>
          Show {SHOWN} more of {guard}
        </button>
      )}
    </div>
  );
}
