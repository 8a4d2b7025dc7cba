import { QuestionRefused } from '../../../jobs/ask-service.ts';
import { UntrustedListing } from '../../chat/call-errors.ts';
import { GROUP_MISSING, USER_MISSING } from '../../chat/service/codes.ts';
import { readBanned, readMembers } from '../../chat/whole-lists.ts';
import type { GroupPages } from '../../imports/ask/group-pages.ts';
import type { CreatedLedger, CreatedThing, Undone } from '../../imports/record/created.ts';
import { foldId, type Region } from '../../membership/membership.ts';
import { counted } from '../../text/wording.ts';

/** A user or group that an import created, and whether it will be deleted or has been. */
export interface Deletion {
  readonly thing: CreatedThing;
  /** Absent: it will be deleted. */
  readonly undone?: Undone;
  /** The reason why it is kept. */
  readonly why: string;
}

export interface Deleting {
  readonly ledger: CreatedLedger;
  readonly pages: (region: Region) => GroupPages;
  readonly signal: AbortSignal;
  /** Returns the reasons why users are kept whom other imports have put into groups, by their `id`. */
  readonly usedByOthers: (things: readonly CreatedThing[]) => Promise<ReadonlyMap<number, string>>;
}

/** The service's time of creation and ours may differ by this much, in ms: clocks differ, and calls wait. */
const SAME_TIME_MS = 3_600_000;

/**
 * Decides what may be deleted: nothing that existed before the import, and no group or user that others use by now. Changes
 * nothing. @param isUndone whether the memberships of the import are undone; if not, they do not count as use
 */
export async function planDeletions(deleting: Deleting, isUndone: boolean): Promise<Deletion[]> {
  const { ledger, signal } = deleting;
  const planned: Deletion[] = [];
  /** Groups that will be gone before the users are looked at. */
  const leaving = new Set<string>();
  const things = ledger.things();
  const used = await deleting.usedByOthers(things);
  for (const thing of things) {
    signal.throwIfAborted();
    const { kind, region, name, id } = thing;
    const own = kind === 'group' || isUndone ? undefined : ledger.groupsNaming(thing);
    const counts = (guid: string) => !leaving.has(`${region} ${guid}`) && own?.has(guid) !== true;
    const found = await judged(thing, deleting, { used: used.get(id), counts });
    if (kind === 'group' && found.undone === undefined) leaving.add(`${region} ${name}`);
    planned.push({ thing, ...found });
  }
  return planned;
}

/**
 * Deletes what may be deleted, one call each, and records each result at once: an interrupted run continues where it was, and
 * what a call without an answer deleted is found missing. Everything is checked again before it is deleted.
 */
export async function deleteCreated(
  deleting: Deleting,
  planned: readonly Deletion[],
  onDone: (done: Deletion) => void,
): Promise<Deletion[]> {
  const { ledger, pages, signal } = deleting;
  const ended: Deletion[] = [];
  const used = await deleting.usedByOthers(planned.map(({ thing }) => thing));
  for (const { thing, ...before } of planned) {
    signal.throwIfAborted();
    const uses = { used: used.get(thing.id), counts: () => true };
    const { undone, why } = before.undone === undefined ? await judged(thing, deleting, uses) : before;
    const regionPages = pages(thing.region);
    const done = { thing, ...(undone === undefined ? await deleted(thing, regionPages, signal) : { undone, why }) };
    ledger.note(thing.id, done.undone, done.why);
    ended.push(done);
    onDone(done);
  }
  return ended;
}

type Judged = Omit<Deletion, 'thing'>;

const kept = (why: string) => ({ undone: 'kept', why }) as const;
const ALREADY_DELETED = { undone: 'gone', why: '' } as const;

/** The known uses of a user. */
interface Uses {
  /** The reason why it is kept, from rollcall's own record. */
  readonly used: string | undefined;
  /** Whether being in this group (GUID in lower case) is a use. */
  readonly counts: (guid: string) => boolean;
}

async function judged(
  thing: CreatedThing,
  { ledger, pages: pagesOf, signal }: Deleting,
  { used, counts }: Uses,
): Promise<Judged> {
  const pages = pagesOf(thing.region);
  if (thing.outcome === 'reactivated') return kept('it was there before the import, which made it active again');
  if (thing.code !== '') return kept('the reply of its creation was lost, so it may have been there before');
  try {
    const { createdAt } =
      thing.kind === 'user'
        ? await pages.getUser(thing.name, { signal })
        : await pages.getGroup(thing.name, { signal });
    if (createdAt !== null && Math.abs(createdAt * 1_000 - thing.at) > SAME_TIME_MS)
      return kept(`the service says that it was created at ${new Date(createdAt * 1_000).toISOString()}`);
    if (used !== undefined) return kept(used);
    if (thing.kind === 'user') {
      const groups = (await groupsOf(thing.name, pages, signal)).filter(counts);
      return groups.length === 0 ? { why: '' } : kept(`it is in ${named(groups)}`);
    }
    const others = await strangers(thing, ledger, pages, signal);
    return others === 0 ? { why: '' } : kept(`${counted(others, 'user')} in it whom the import does not name`);
  } catch (error) {
    return refused(thing, error, 'it could not be looked at');
  }
}

const SHOWN = 3;

function named(guids: readonly string[]): string {
  const more = guids.length > SHOWN ? ` and ${guids.length - SHOWN} more` : '';
  return `${guids.length === 1 ? 'the group' : 'the groups'} ${guids.slice(0, SHOWN).join(', ')}${more}`;
}

/** Groups of a user (GUIDs in lower case); none where the service does not say it. */
async function groupsOf(uid: string, pages: GroupPages, signal: AbortSignal): Promise<string[]> {
  try {
    const listed = await pages.listJoined(uid, { signal });
    const certain = listed.filter(({ hasJoined }) => hasJoined === true);
    const [first] = listed;
    if (certain.length === 0 && first !== undefined) {
      // It does not say it of the groups. If the user is not in the first one, these are all groups of the app.
      const { scope, isKnown } = await pages.getMembership(first.guid, uid, { signal });
      if (!isKnown || scope === null) return [];
    }
    return (certain.length > 0 ? certain : listed).map(({ guid }) => foldId(guid));
  } catch (error) {
    if (error instanceof QuestionRefused && !error.ofRegion) return [];
    throw error;
  }
}

/** Number of members and banned users of a group that the import does not name. */
async function strangers(
  { name, group_id, owner }: CreatedThing,
  ledger: CreatedLedger,
  pages: GroupPages,
  signal: AbortSignal,
): Promise<number> {
  const members = await readMembers(pages, name, { signal });
  const banned = await readBanned(pages, name, { signal });
  const all = new Set([...members.map(({ uid }) => foldId(uid)), ...banned]);
  if (owner !== undefined) all.delete(owner);
  const named = group_id === null ? new Set() : ledger.namedIn(group_id, [...all]);
  return [...all].filter((uid) => !named.has(uid)).length;
}

async function deleted(
  thing: CreatedThing,
  pages: GroupPages,
  signal: AbortSignal,
): Promise<{ readonly undone: Undone; readonly why: string }> {
  try {
    if (thing.kind === 'user') await pages.deleteUser(thing.name, { signal });
    else await pages.deleteGroup(thing.name, { signal });
    return { undone: 'deleted', why: '' };
  } catch (error) {
    return refused(thing, error, 'it could not be deleted');
  }
}

/** @throws an error that is not an answer about this user or group */
function refused({ kind }: CreatedThing, error: unknown, what: string): { undone: Undone; why: string } {
  if (error instanceof QuestionRefused && !error.ofRegion) {
    if (error.code === (kind === 'user' ? USER_MISSING : GROUP_MISSING)) return ALREADY_DELETED;
    return kept(`${what}: ${error.code}, ${error.message}`);
  }
  if (error instanceof UntrustedListing) return kept(`${what}: ${error.message}`);
  throw error;
}
