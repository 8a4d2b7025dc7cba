/** A plan by group, with the difference inside each. */

import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import type { PlanTotals, SyncEntry } from '../../../console/answers.ts';
import { settings } from '../../../console/frame.tsx';
import { Badge, Counts, foreign, memberHref, swatch, Tag } from '../../../console/kit/elements.tsx';
import { Filter, useFilter } from '../../../console/kit/filter.tsx';
import { type Choice, FoldedFields, type Form } from '../../../console/kit/form.tsx';
import { type Column, List } from '../../../console/kit/list.tsx';
import { addressOf } from '../../../console/requests.ts';
import { ACTION_COLOURS, REASONED, SYNC_TONES, standsStill } from '../../../console/sync-words.ts';
import { usePages } from '../../../console/use-answer.ts';
import { ACTION_LABELS, ACTIONS_SHOWN, CHANGES } from '../../../membership/plan-words.ts';
import { capitalised, counted, grouped } from '../../../text/wording.ts';
import type { GuardFinding, GuardObjections, PlanAction as MemberAction, SyncGroup } from '../api.ts';
import { LIMIT } from './plan-rules.ts';

/** A field for each limit of a guard, empty for its default. */
export function GuardLimits({ form }: { form: Form }) {
  const limits = settings.value?.guardLimits ?? [];
  const fields = limits.map(({ name, default: byDefault, unit, why }) => {
    const note = unit === 'percent' ? `Percent of ${why}.` : `${capitalised(why)}.`;
    return [`${LIMIT}${name}`, { label: name, placeholder: String(byDefault), note }];
  });
  return <FoldedFields title={`Guard limits (${limits.length})`} form={form} fields={Object.fromEntries(fields)} />;
}

/** Interval between two questions about a sync that moves by itself, in ms. */
const ASK_EVERY_MS = 1000;

export function askAgainAfter(view: SyncEntry | undefined) {
  return view?.state === 'planning' || view?.state === 'applying' ? ASK_EVERY_MS : undefined;
}

/** The state in a sentence, and its reason where that says more. */
export function Standing({ sync }: { sync: SyncEntry }) {
  const { state, reason } = sync;
  const isBlocked = standsStill(sync);
  return (
    <>
      <div class="row baseline">
        <Badge tone={isBlocked ? 'attention' : SYNC_TONES[state]}>{isBlocked ? 'blocked' : state}</Badge>
        <p class="sentence" id="state">
          {sync.sentence}
        </p>
      </div>
      {REASONED.includes(state) && <p class="note">{foreign(reason)}</p>}
    </>
  );
}

/** A plan in numbers. */
export function PlanLegend({
  actions,
  which = ACTIONS_SHOWN,
  children,
}: {
  actions: PlanTotals['actions'];
  which?: typeof ACTIONS_SHOWN;
  children?: ComponentChildren;
}) {
  const list = which.map((action) => [ACTION_COLOURS[action], actions[action], ACTION_LABELS[action]] as const);
  return <Counts list={list}>{children}</Counts>;
}

const TO_DO = [...CHANGES, 'report'].join(',');
const ANYTHING = 'all';

/** Actions by which groups can be chosen. */
const NEWS = ACTIONS_SHOWN.filter((action) => action !== 'keep');
const choicesOf = (isOver: boolean): Choice[] => [
  ['', isOver ? 'something planned' : 'something to do'],
  ...NEWS.map((action) => [action, ACTION_LABELS[action]] as const),
  [ANYTHING, 'anything'],
];

const columnsOf = (isOver: boolean): Column<SyncGroup>[] => [
  {
    label: 'Group',
    kind: 'main',
    cell: ({ guid, region, creates }) => (
      <>
        {foreign(guid)} <span class="soft">{region}</span>
        {creates !== undefined && (
          <>
            {' '}
            <Tag>new, {creates.type}</Tag> {foreign(creates.name)}
          </>
        )}
      </>
    ),
  },
  {
    label: isOver ? 'Planned' : 'To do',
    kind: 'wide',
    cell: ({ problem, actions, members }) =>
      problem !== '' ? (
        <span class="attention">{foreign(problem)}</span>
      ) : (
        <PlanLegend actions={actions} which={NEWS}>
          <li class="soft">of {counted(members, 'member')}</li>
        </PlanLegend>
      ),
  },
];

/** @param isOver nothing of it is done any more */
export function SyncPlan({ id, isOver }: { id: string; isOver: boolean }) {
  const filter = useFilter({ groups: { label: 'Groups with', choices: choicesOf(isOver) } });
  const { groups = '' } = filter.values;
  const action = groups === ANYTHING ? '' : groups || TO_DO;
  const pages = usePages(addressOf('GET /v1/syncs/:id/groups', { id, query: { action } }), { name: 'groups' });
  return (
    <List
      pages={pages}
      filter={filter}
      caption="Groups of the plan"
      noun="groups"
      columns={columnsOf(isOver)}
      keyOf={({ region, guid }) => `${action} ${region} ${guid}`}
      empty={`There ${isOver ? 'was' : 'is'} nothing to do in any group.`}
      unfold={({ problem, region, guid }) =>
        problem === ''
          ? {
              label: `Members of ${guid}`,
              // One group is what is looked for.
              isOpen: pages.shown.items?.length === 1,
              content: () => <GroupMembers id={id} region={region} guid={guid} action={action} />,
            }
          : undefined
      }
    />
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
  { label: 'Why', kind: 'wide', cell: 'sentence' },
  { label: 'Row', kind: 'number', cell: 'line' },
];

function GroupMembers({ id, region, guid, action }: { id: string; region: string; guid: string; action: string }) {
  const pages = usePages(addressOf('GET /v1/syncs/:id/actions', { id, query: { action, region, guid } }), {
    name: 'actions',
  });
  return (
    <List
      pages={pages}
      caption={`What is done in ${guid}`}
      noun="members"
      columns={COLUMNS}
      keyOf={({ uid }) => uid}
      empty="Nothing is done in this group."
    />
  );
}

const SHOWN = 50;

const SUMMARY: Column<GuardObjections>[] = [
  { label: 'Guard', kind: 'main', cell: ({ guard }) => <code>{guard}</code> },
  { label: 'Objections', kind: 'number', cell: 'count' },
  {
    label: 'Members',
    kind: 'number',
    // Other guards count something else.
    cell: ({ guard, total }) => (/^emptied-groups$|-(removals|additions)$/.test(guard) ? grouped(total) : '–'),
  },
  { label: 'Worst', kind: 'wide', cell: ({ worst }) => foreign(worst.sentence) },
];
/** While someone can still decide. */
const TO_DECIDE: typeof SUMMARY = [...SUMMARY, { label: 'What to do', kind: 'wide', cell: 'remedy' }];

export function SyncGuards({
  id,
  guards,
  isHeld,
}: {
  id: string;
  guards: readonly GuardObjections[];
  isHeld: boolean;
}) {
  return (
    <List
      pages={{ items: guards, error: undefined }}
      caption={isHeld ? 'Guards that object' : 'Guards that objected'}
      noun="guards"
      columns={isHeld ? TO_DECIDE : SUMMARY}
      keyOf={({ guard }) => guard}
      empty=""
      unfold={({ guard, meaning, count }) => ({
        label: `${counted(count, 'group')} of ${guard}`,
        content: () => (
          <>
            <p class="note">{meaning}</p>
            {count > 1 && <GroupList id={id} guard={guard} isLong={count > SHOWN} />}
          </>
        ),
      })}
    />
  );
}

const OBJECTION_COLUMNS: Column<GuardFinding>[] = [
  { label: 'Group', kind: 'main', cell: ({ guid }) => foreign(guid ?? '') ?? 'all groups' },
  { label: 'Region', cell: ({ region }) => region ?? 'all' },
  { label: 'Why', kind: 'wide', cell: 'sentence' },
];

function GroupList({ id, guard, isLong }: { id: string; guard: string; isLong: boolean }) {
  // The address has the filter of the plan.
  const filter = useMemo(() => new Filter({ search: { label: 'Find a group' } }, undefined, () => {}), []);
  const pages = usePages(addressOf('GET /v1/syncs/:id/findings', { id, query: { guard, ...filter.values } }), {
    name: 'findings',
  });
  return (
    <List
      pages={pages}
      filter={isLong ? filter : undefined}
      noun={`groups of ${guard}`}
      caption={`Groups that ${guard} objects to, the worst first`}
      columns={OBJECTION_COLUMNS}
      keyOf={({ region, guid }, index) => `${region} ${guid} ${index}`}
      empty="No group fits."
    />
  );
}
