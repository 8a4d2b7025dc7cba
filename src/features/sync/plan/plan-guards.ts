import type { PlanFlags } from '../../../api/sync-entry.ts';
import { foldId, type Region } from '../../../membership/membership.ts';
import { capitalised, counted, grouped, sumOf } from '../../../text/wording.ts';
import type { PlanGroup } from '../api.ts';
import { type GivenLimits, limitsWith } from '../guard-limits.ts';
import type { PlanLedger } from './plan-ledger.ts';
import { findingOf, type GroupName, groupKey } from './plan-reading.ts';
import { changesOf } from './plan-totals.ts';
import {
  ALL,
  above,
  allowed,
  GET_WHOLE_FILE,
  type Guard,
  type GuardFacts,
  gainsOf,
  LOOK,
  MEMBER_GUARDS,
  MIRROR,
  type PreviousRun,
  ROW_GUARDS,
  tooMany,
  WITH_FILE,
} from './size-guards.ts';

const SHOWN_NAMES = 5;

/** Guards against too many creations: a wrong column creates unwanted users and groups. */
const CREATION_GUARDS: readonly Guard[] = [
  {
    name: 'created-groups',
    meaning: 'More groups would be created than `--max-create` allows.',
    modes: WITH_FILE,
    remedy: 'Make sure that these are groups, and that the file is for this app; approve the plan if it is',
    check: ({ groups, creating }) => {
      const fresh = groups.filter(({ creates }) => creates !== undefined);
      const limit = creating?.limits.groups ?? 0;
      const names = fresh.map(({ guid, region }) => `${guid} (${region})`);
      const what = `${counted(fresh.length, 'group')} would be created, ${firstOf(names)}; ${grouped(limit)} may be`;
      return above(limit, fresh.length, what);
    },
  },
  {
    name: 'created-users',
    meaning: 'More users would be created or made active again than `--max-create` allows.',
    modes: WITH_FILE,
    remedy: 'Make sure that the column of the UIDs is the right one, and approve the plan if it is',
    check: ({ creating }) => {
      if (creating?.missing == null) return [];
      const { unknown, deactivated, first } = creating.missing;
      const limit = creating.limits.users;
      const value = unknown + deactivated;
      const inactive = deactivated === 0 ? '' : `, ${grouped(deactivated)} of them deactivated`;
      const named = first.length === 0 ? '' : `: ${firstOf(first, unknown)}`;
      const what = `the service does not find ${counted(value, 'user')}${inactive}${named}; ${grouped(limit)} may be created or made active`;
      return above(limit, value, what);
    },
  },
];

/** Some names, and how many more there are. */
function firstOf(names: readonly string[], of = names.length) {
  const shown = names.slice(0, SHOWN_NAMES);
  return `${shown.join(', ')}${of > shown.length ? ` and ${grouped(of - shown.length)} more` : ''}`;
}

const LOOK_AT_UNDO =
  'Others have acted here since the import, or members may have been there before it. Look at the plan: approve it if it is right, reject it if it is not';

/** Every guard, in the order in which their findings are shown. Zero removals never trip one that counts removals. */
export const GUARDS: readonly Guard[] = [
  {
    name: 'empty-file',
    meaning: 'The file asks for nothing: it is empty, or all its rows are invalid.',
    modes: WITH_FILE,
    remedy: 'Find out why; a file that asks for nothing is always a mistake',
    check: ({ source: { rows, invalid } }) =>
      rows > invalid
        ? []
        : [
            {
              value: rows - invalid,
              limit: 1,
              what: rows === 0 ? 'the file has no rows' : `no row of ${grouped(rows)} can be used`,
            },
          ],
  },
  {
    name: 'invalid-rows',
    meaning: 'The file has invalid rows: members in such rows would count as missing.',
    modes: MIRROR,
    remedy: 'Fix these rows, of which a note names the first; until then their members count as missing',
    check: ({ source: { rows, invalid } }, { invalidRows }) =>
      above(
        invalidRows,
        invalid,
        `${grouped(invalid)} of ${counted(rows, 'row')} cannot be used; ${allowed(invalidRows)}`,
      ),
  },
  ...ROW_GUARDS,
  {
    name: 'lost-columns',
    meaning: 'The file lacks a column that the last run’s file had.',
    modes: WITH_FILE,
    remedy: 'Look at the header, and map a column that was renamed',
    check: ({ source, previous }, { lostColumns }) => {
      const lost = (previous?.fields ?? []).filter((field) => !source.fields.includes(field));
      const what = `the file has no column for ${lost.join(', ')}, and the last run’s file had; ${allowed(lostColumns)}`;
      return above(lostColumns, lost.length, what);
    },
  },
  {
    name: 'moved-groups',
    meaning: 'Groups are in another region than in the last run.',
    modes: WITH_FILE,
    remedy: 'Make sure that this is the file of the right region',
    check: ({ groups, previous }, { movedGroups }) => {
      const newcomers = new Map(
        missingFrom(previous?.groups ?? [], groups).map((group) => [foldId(group.guid), group]),
      );
      const moved = missingFrom(groups, previous?.groups ?? []).flatMap((before) => {
        const now = newcomers.get(foldId(before.guid));
        return now === undefined ? [] : [{ ...now, before: before.region }];
      });
      return tooMany(
        movedGroups,
        moved,
        ({ region, before }) =>
          `the group is in ${region} now and was in ${before} in the last run; ${allowed(movedGroups)}`,
      );
    },
  },
  {
    name: 'forgotten-groups',
    meaning: 'Groups with members that the last run had are no longer in the file. Nothing is done in them.',
    modes: MIRROR,
    remedy: GET_WHOLE_FILE,
    check: ({ groups, previous }, { forgottenGroups }) => {
      const forgotten = missingFrom(groups, previous?.groups ?? []).filter(({ members }) => members > 0);
      return tooMany(
        forgottenGroups,
        forgotten,
        ({ members }) =>
          `the file no longer mentions the group, which had ${counted(members, 'member')} after the last run; they stay as they are`,
      );
    },
  },
  {
    name: 'no-group-listed',
    meaning: 'None of the groups could be listed: wrong region, wrong app, or wrong groups.',
    // Groups whose memberships end may have been deleted.
    modes: ALL.difference(new Set(['expiry'])),
    remedy: 'Check the region, its app and key (rollcall doctor), and the groups’ ids',
    check: ({ groups }) =>
      groups.length === 0 || groups.some(({ listing, creates }) => listing === 'listed' || creates !== undefined)
        ? []
        : [{ value: 0, limit: 1, what: `none of ${counted(groups.length, 'group')} could be listed` }],
  },
  {
    name: 'failed-listings',
    meaning: 'The members of a group could not be listed as a whole, so that nothing can be said about it.',
    modes: MIRROR,
    remedy: 'Plan again later, or approve the plan to continue without these groups',
    check: ({ groups }, { failedListings }) => {
      const failed = groups.filter(({ listing }) => listing === 'failed');
      return tooMany(
        failedListings,
        failed,
        ({ code, message }) =>
          `its members could not be listed (${[code, message].filter(Boolean).join(': ')}), so that nothing is done in it`,
      );
    },
  },
  ...CREATION_GUARDS,
  {
    name: 'owner-changes',
    meaning: 'The owner of a group would be removed, banned or lowered.',
    modes: ALL,
    remedy: 'Give the group another owner first, or approve the plan',
    check: ({ groups }, { ownerChanges }) => {
      const hit = groups.filter(({ ownerHit }) => ownerHit);
      return tooMany(
        ownerChanges,
        hit,
        ({ owner }) => `its owner ${owner} would be removed, banned or lowered; ${allowed(ownerChanges)}`,
      );
    },
  },
  {
    name: 'left',
    meaning:
      'Users whom this sync made members have left, or were removed, and the sync asks about them (`--left ask`).',
    modes: WITH_FILE,
    remedy: 'Approve the plan to add them again; with `--left keep-out`, a new plan leaves them out',
    check: ({ left, groups }) =>
      left === 'ask'
        ? tooMany(
            0,
            groups.filter(({ rejoining }) => rejoining > 0),
            ({ rejoining }) => `${counted(rejoining, 'user')} would be added again after leaving`,
          )
        : [],
  },
  {
    name: 'emptied-groups',
    meaning: 'Everyone would leave a group, except members who are kept.',
    modes: ALL,
    remedy: LOOK,
    sparesOwn: true,
    check: ({ groups }, { emptiedFrom }) =>
      groups
        .filter(({ leaving, staying }) => leaving > 0 && leaving >= emptiedFrom && staying === 0)
        .map(({ region, guid, leaving, members }) => ({
          region,
          guid,
          value: leaving,
          limit: Math.max(0, emptiedFrom - 1),
          what: `everyone would leave the group, except members who are kept: ${grouped(leaving)} of ${counted(members, 'member')}`,
        })),
  },
  ...MEMBER_GUARDS,
];

/** Everything that the guards object to; nothing found means that the plan may be applied unattended. */
export function checkGuards(facts: GuardFacts, given?: GivenLimits) {
  const [limits, first] = [limitsWith(given), limitsWith(given, 'first')];
  const contested = facts.mode === 'undo' ? facts.groups.filter((group) => group.contested > 0) : facts.groups;
  return GUARDS.filter(({ modes }) => modes.has(facts.mode)).flatMap((guard) =>
    guard
      .check(guard.sparesOwn ? { ...facts, groups: contested } : facts, limits, first)
      .map(({ region = null, guid = null, value, limit, what }) => ({
        guard: guard.name,
        region,
        guid,
        value,
        limit,
        what: `${placed(region, guid, what)}.`,
        remedy: `${remedyIn(guard, facts.mode)}.`,
      })),
  );
}

/** Returns the advice after a guard's objection. An undo has no file to fix. */
function remedyIn({ remedy }: Guard, mode: PlanFlags['mode']) {
  return mode === 'undo' && remedy === LOOK ? LOOK_AT_UNDO : remedy;
}

/** Checks a plan, and keeps findings and notes in it. @param changesBefore of the last runs, as they were planned */
export function guardPlan(
  plan: PlanLedger,
  given?: GivenLimits,
  previous?: PreviousRun,
  changesBefore: readonly number[] = [],
) {
  const source = plan.facts();
  if (source.flags === null) throw new Error('the plan has not been made yet: there is nothing to guard');
  const groups = plan.groups();
  const { mode, left } = source.flags;
  const facts = { mode, left, source, groups, creating: plan.creating(), previous };
  const objections = checkGuards(facts, given);
  plan.recordObjections(objections);
  const later = { ...facts, previous: { rows: source.rows, fields: source.fields, groups: [] } };
  const isSpared = previous === undefined && checkGuards(later, given).length > objections.length;
  plan.addNotes([...(isSpared ? [firstRun(groups)] : []), ...moreMessages(groups, changesBefore)]);
  return objections.map(findingOf);
}

/** Groups among `others` that `groups` does not hold in the same region. */
function missingFrom<Group extends GroupName>(groups: readonly GroupName[], others: readonly Group[]) {
  const held = new Set(groups.map(groupKey));
  return others.filter((group) => !held.has(groupKey(group)));
}

function placed(region: Region | null, guid: string | null, what: string) {
  if (guid !== null) return `Group ${guid} (${region}): ${what}`;
  return region === null ? capitalised(what) : `Region ${region}: ${what}`;
}

/** Fewer messages than this are never a concern. */
const FEW_MESSAGES = 100;
const TIMES_USUAL = 3;

/** For a first run that adds more than a later one might. */
function firstRun(groups: readonly PlanGroup[]) {
  const members = sumOf(groups.map(gainsOf));
  const text = `No run of this sync has been carried out before, so the guards let it add or raise any number of members: here ${grouped(members)}`;
  return { code: 'FIRST_RUN', text };
}

/** For a run that would write many more messages than others of the same sync. @param before changes of these runs */
function moreMessages(groups: readonly PlanGroup[], before: readonly number[]) {
  const messages = sumOf(groups.map(changesOf));
  const usual = before.toSorted((a, b) => a - b)[Math.floor(before.length / 2)];
  if (usual === undefined || messages < FEW_MESSAGES || messages <= usual * TIMES_USUAL) return [];
  const runs =
    before.length === 1 ? 'the last run planned' : `the median of the last ${counted(before.length, 'run')} is`;
  const text = `Up to ${counted(messages, 'message')} would be written into groups, more than usual: ${runs} ${grouped(usual)}`;
  return [{ code: 'MORE_MESSAGES', text }];
}
