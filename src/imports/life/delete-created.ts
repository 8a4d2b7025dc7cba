import { ReadingRefused } from '../../../jobs/ask-service.ts';
import { UntrustedListing } from '../../chat/errors.ts';
import { readBanned, readMembers } from '../../chat/member-list.ts';
import type { Region } from '../../membership/membership.ts';
import { counted } from '../../text/wording.ts';
import type { CreatedLedger, CreatedThing, Undone } from '../record/created.ts';
import type { GroupPages } from '../send/group-reader.ts';

/** A user or group that an import created, and whether it will be deleted or has been. */
export interface Deletion {
  readonly thing: CreatedThing;
  /** Absent: it will be deleted. */
  readonly undone?: Undone;
  /** Why it is kept. */
  readonly why: string;
}

export interface Deleting {
  readonly ledger: CreatedLedger;
  readonly pages: (region: Region) => GroupPages;
  readonly signal: AbortSignal;
}

/** The service's time of creation and ours may differ by this much, in ms: clocks differ, and calls wait. */
const SAME_TIME_MS = 3_600_000;

/** Decides what may be deleted: nothing that existed before the import, and no group that others use by now. Changes nothing. */
export async function planDeletions({ ledger, pages, signal }: Deleting): Promise<Deletion[]> {
  const planned: Deletion[] = [];
  for (const thing of ledger.things()) {
    signal.throwIfAborted();
    planned.push({ thing, ...(await judged(thing, ledger, pages(thing.region), signal)) });
  }
  return planned;
}

/**
 * Deletes what may be deleted, one call each, and records each result at once: an interrupted run continues where it was, and
 * what a call without an answer deleted is found missing. Every group is checked again before it is deleted.
 */
export async function deleteCreated(
  { ledger, pages, signal }: Deleting,
  planned: readonly Deletion[],
  onDone: (done: Deletion) => void,
): Promise<Deletion[]> {
  const ended: Deletion[] = [];
  for (const { thing, ...before } of planned) {
    signal.throwIfAborted();
    const there = pages(thing.region);
    const { undone, why } = before.undone === undefined ? await judged(thing, ledger, there, signal) : before;
    const done = { thing, ...(undone === undefined ? await deleted(thing, there, signal) : { undone, why }) };
    ledger.note(thing.id, done.undone, done.why);
    ended.push(done);
    onDone(done);
  }
  return ended;
}

type Judged = Omit<Deletion, 'thing'>;

const kept = (why: string) => ({ undone: 'kept', why }) as const;
const ALREADY_DELETED = { undone: 'gone', why: '' } as const;

async function judged(
  thing: CreatedThing,
  ledger: CreatedLedger,
  pages: GroupPages,
  signal: AbortSignal,
): Promise<Judged> {
  if (thing.outcome === 'reactivated') return kept('it was there before the import, which made it active again');
  if (thing.code !== '') return kept('the reply of its creation was lost, so it may have been there before');
  try {
    const { createdAt } =
      thing.kind === 'user'
        ? await pages.getUser(thing.name, { signal })
        : await pages.getGroup(thing.name, { signal });
    if (createdAt !== null && Math.abs(createdAt * 1_000 - thing.at) > SAME_TIME_MS)
      return kept(`the service says that it was created at ${new Date(createdAt * 1_000).toISOString()}`);
    const others = thing.kind === 'group' ? await strangers(thing, ledger, pages, signal) : 0;
    return others === 0 ? { why: '' } : kept(`${counted(others, 'user')} in it whom the import does not name`);
  } catch (error) {
    return refused(thing, error, 'it could not be looked at');
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
  const all = new Set([...members.map(({ uid }) => uid.toLowerCase()), ...banned]);
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
  if (error instanceof ReadingRefused && !error.ofRegion) {
    if (error.code === (kind === 'user' ? 'ERR_UID_NOT_FOUND' : 'ERR_GUID_NOT_FOUND')) return ALREADY_DELETED;
    return kept(`${what}: ${error.code}, ${error.message}`);
  }
  if (error instanceof UntrustedListing) return kept(`${what}: ${error.message}`);
  throw error;
}
