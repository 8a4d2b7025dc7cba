/** A plan by group, with the difference inside each. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { Empty, foreign, memberHref, Pending, swatch, Tag } from '../../../console/kit/elements.tsx';
import { FilterBar, FilterField, useFilter } from '../../../console/kit/filter.tsx';
import type { Choice } from '../../../console/kit/form.tsx';
import { type Column, DataTable, List, MoreButton } from '../../../console/kit/list.tsx';
import { addressOf } from '../../../console/requests.ts';
import { ACTION_COLOURS, ACTION_LABELS, CHANGES, PLAN_ACTIONS } from '../../../console/sync-words.ts';
import { usePages } from '../../../console/use-answer.ts';
import { counted, grouped } from '../../../text/wording.ts';
import type { SyncGroup } from '../api.ts';
import type { GuardFinding, GuardObjections, PlanAction as MemberAction } from '../api-plan.ts';

const TO_DO = [...CHANGES, 'report'].join(',');
const ANYTHING = 'all';

/** Actions by which groups can be chosen. */
const CHOICES: Choice[] = [
  ['', 'something to do'],
  ...PLAN_ACTIONS.filter((action) => action !== 'keep').map((action) => [action, ACTION_LABELS[action]] as const),
  [ANYTHING, 'anything'],
];

const CONDITIONS = { groups: { label: 'Groups with', choices: CHOICES } };

export function SyncPlan({ id }: { id: string }) {
  const filter = useFilter(CONDITIONS);
  const { groups = '' } = filter.values;
  const action = groups === ANYTHING ? '' : groups || TO_DO;
  const pages = usePages(addressOf('GET /v1/syncs/:id/groups', { id, query: { action } }), { name: 'groups' });
  const { items, error } = pages.shown;
  return (
    <>
      <FilterBar filter={filter} label="Filter groups" />
      <div role="status">
        {(error !== undefined || items === undefined) && <Pending error={error} />}
        {items?.length === 0 && <Empty>There is no such group in the plan.</Empty>}
      </div>
      <ul class="groups">
        {(items ?? []).map((group) => (
          <Group
            key={`${action} ${group.region} ${group.guid}`}
            id={id}
            group={group}
            action={action}
            // One group is what is looked for.
            isOpen={items?.length === 1}
          />
        ))}
      </ul>
      <MoreButton pages={pages} noun="groups" />
    </>
  );
}

interface GroupProperties {
  id: string;
  group: SyncGroup;
  /** Those to show, separated by commas; '' for all. */
  action: string;
  isOpen: boolean;
}

function Group({ id, group, action, isOpen }: GroupProperties) {
  const { region, guid, problem, members, actions, creates } = group;
  const name = (
    <span class="name">
      <b>{foreign(guid)}</b>
      <span class="soft"> {region}</span>
      {creates !== undefined && (
        <>
          {' '}
          <Tag>new, {creates.type}</Tag> {foreign(creates.name)}
        </>
      )}
    </span>
  );
  if (problem !== '')
    return (
      <li>
        {name}
        <p class="attention">{foreign(problem)}</p>
      </li>
    );
  const counts = (
    <span class="counts">
      {PLAN_ACTIONS.filter((one) => one !== 'keep' && actions[one] > 0).map((one) => (
        <span key={one}>
          {swatch(ACTION_COLOURS[one])}
          {grouped(actions[one])} {ACTION_LABELS[one]}
        </span>
      ))}
      <span class="soft">of {counted(members, 'member')}</span>
    </span>
  );
  return (
    <li>
      <LateFold
        isOpen={isOpen}
        summary={
          <>
            {name}
            {counts}
          </>
        }
        content={() => <GroupMembers id={id} region={region} guid={guid} action={action} />}
      />
    </li>
  );
}

const COLUMNS: Column<MemberAction>[] = [
  { label: 'UID', kind: 'main', cell: ({ uid }) => <a href={memberHref(uid)}>{foreign(uid)}</a> },
  {
    label: 'What',
    cell: ({ action }) => (
      <span class="mark">
        {swatch(ACTION_COLOURS[action])}
        {ACTION_LABELS[action].replace('to ', '')}
      </span>
    ),
  },
  {
    label: 'From → to',
    kind: 'wide',
    cell: ({ from, to }) => (from === to ? from || '–' : `${from || 'no member'} → ${to || 'no member'}`),
  },
  { label: 'Why', kind: 'wide', cell: ({ sentence }) => foreign(sentence) },
  { label: 'Row', kind: 'number', cell: ({ line }) => (line === null ? '–' : grouped(line)) },
];

interface GroupMembersProperties {
  id: string;
  region: string;
  guid: string;
  action: string;
}

function GroupMembers({ id, region, guid, action }: GroupMembersProperties) {
  const pages = usePages(addressOf('GET /v1/syncs/:id/actions', { id, query: { action, region, guid } }), {
    name: 'actions',
  });
  return (
    <List
      pages={pages}
      caption={`What is done in ${guid}`}
      columns={COLUMNS}
      keyOf={({ uid }) => uid}
      empty="Nothing is done in this group."
    />
  );
}

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
    // Other guards count something else.
    cell: ({ guard, total }) => (/^emptied-groups$|-(removals|additions)$/.test(guard) ? grouped(total) : '–'),
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
  return (
    <LateFold
      summary={
        <>
          {counted(count, 'group')} of <code>{guard}</code>
        </>
      }
      content={() => <GroupList id={id} guard={guard} isLong={count > SHOWN} />}
    />
  );
}

interface LateFoldProperties {
  isOpen?: boolean;
  summary: ComponentChildren;
  content: () => ComponentChildren;
}

/** Asks for its content when it is opened. */
function LateFold({ isOpen = false, summary, content }: LateFoldProperties) {
  const wasOpen = useSignal(isOpen);
  return (
    <details
      open={isOpen}
      onToggle={({ currentTarget }) => {
        wasOpen.value ||= currentTarget.open;
      }}
    >
      <summary>{summary}</summary>
      {wasOpen.value && content()}
    </details>
  );
}

const OBJECTION_COLUMNS: Column<GuardFinding>[] = [
  { label: 'Group', kind: 'main', cell: ({ guid }) => foreign(guid ?? '') ?? 'all groups' },
  { label: 'Region', cell: ({ region }) => region ?? 'all' },
  { label: 'Why', kind: 'wide', cell: ({ sentence }) => foreign(sentence) },
];

function GroupList({ id, guard, isLong }: { id: string; guard: string; isLong: boolean }) {
  const search = useSignal('');
  const pages = usePages(addressOf('GET /v1/syncs/:id/findings', { id, query: { guard, search: search.value } }), {
    name: 'findings',
  });
  return (
    <div class="stack">
      {isLong && (
        <div class="filter">
          <FilterField
            id={`search-${guard}`}
            condition={{ label: 'Find a group' }}
            value={search.value}
            onValue={(text) => (search.value = text)}
          />
        </div>
      )}
      <List
        pages={pages}
        noun={`of ${guard}`}
        caption={`Groups that ${guard} objects to, the worst first`}
        columns={OBJECTION_COLUMNS}
        keyOf={({ region, guid }, index) => `${region} ${guid} ${index}`}
        empty="No group fits."
      />
    </div>
  );
}
