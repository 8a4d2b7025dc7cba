import { QuestionRefused } from '../../../jobs/ask-service.ts';
import { UntrustedListing } from '../../chat/call-errors.ts';
import { GROUP_MISSING } from '../../chat/service/codes.ts';
import { readBannedInto, readGroupsInto, readMembersInto, readUsersInto } from '../../chat/whole-lists.ts';
import { countedPages, type GroupPages } from '../../imports/ask/group-pages.ts';
import { inRegions, inTurns } from '../../imports/ask/side-by-side.ts';
import type { Region } from '../../membership/membership.ts';
import type { ExportStore, GroupToRead } from './export-store.ts';

export interface ExportRun {
  readonly store: ExportStore;
  readonly pages: (region: Region) => GroupPages;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: ExportProgress) => void;
}

export type ExportProgress =
  /** Entries of a region's list so far. */
  | { readonly step: 'groups' | 'users'; readonly region: Region; readonly entries: number }
  /** Groups that have been read, of how many. */
  | { readonly step: 'members'; readonly done: number; readonly groups: number };

/** Groups that are taken from the file at a time; their members go into it page by page. */
const AT_A_TIME = 500;

/**
 * Reads an export's lists into its file, and continues where an earlier run was interrupted: with the lists and
 * groups that were not read to their end. Ends with the state that it writes: `completed`, `incomplete` where groups could
 * not be read, `stopped` where a region refuses every call or a list cannot be trusted. Rejects with the signal's reason,
 * and then the export can continue.
 *
 * A group is read in two lists, first its members, then its banned users: who is banned in between is in both and counts
 * as banned. What whole-lists.ts says about lists that change while they are read holds for every list here.
 */
export async function runExport({ pages, ...given }: ExportRun): Promise<void> {
  const { store, signal } = given;
  const run: ExportRun = { ...given, pages: countedPages(pages, () => store.countCalls(1)) };
  const { options } = store.record();
  store.move('running', '');
  try {
    await inRegions(options.regions, signal, (region, either) =>
      findGroups({ ...run, signal: either }, region, options.groups),
    );
    if (!options.groupsOnly || options.groups !== undefined) await readGroups(run, options.regions, options.groupsOnly);
    if (options.users) {
      await inRegions(options.regions, signal, (region, either) => readUsers({ ...run, signal: either }, region));
    }
  } catch (error) {
    signal.throwIfAborted();
    const why = whyStopped(error);
    if (why === undefined) throw error;
    store.move('stopped', why);
    return;
  }
  const { failed, missing } = store.totals();
  // If all groups are exported, one may be deleted meanwhile: it is not reported as missing.
  const unread = failed.length + (options.groups === undefined ? 0 : missing.length);
  if (unread === 0) store.move('completed', '');
  else store.move('incomplete', `${unread} ${unread === 1 ? 'group' : 'groups'} could not be read`);
}

interface Entries {
  readonly entries: number;
}

async function findGroups(run: ExportRun, region: Region, named: readonly string[] | undefined): Promise<void> {
  const { store, pages, signal, onProgress } = run;
  if (store.isListDone(region, 'groups')) return;
  if (named !== undefined) store.nameGroups(region, named);
  else {
    const onPage = ({ entries }: Entries) => onProgress({ step: 'groups', region, entries });
    await readGroupsInto(store.groupList(region), pages(region), { signal, onPage });
  }
  store.listDone(region, 'groups');
}

async function readUsers({ store, pages, signal, onProgress }: ExportRun, region: Region): Promise<void> {
  if (store.isListDone(region, 'users')) return;
  const onPage = ({ entries }: Entries) => onProgress({ step: 'users', region, entries });
  await readUsersInto(store.userList(region), pages(region), { signal, onPage });
  store.listDone(region, 'users');
}

async function readGroups(run: ExportRun, regions: readonly Region[], factsOnly: boolean): Promise<void> {
  const { store, signal, onProgress } = run;
  const groups = store.countToRead();
  let done = 0;
  await inRegions(regions, signal, (region, either) =>
    inTurns(
      either,
      (after) => store.groupsToRead(region, after, AT_A_TIME),
      async (group, stop) => {
        await readGroup({ ...run, signal: stop }, group, factsOnly);
        done += 1;
        onProgress({ step: 'members', done, groups });
      },
    ),
  );
}

async function readGroup({ store, pages, signal }: ExportRun, group: GroupToRead, factsOnly: boolean): Promise<void> {
  const { id, region, guid, known } = group;
  try {
    if (!known) {
      store.setFacts(region, { ...(await pages(region).getGroup(guid, { signal })), guid });
    }
    if (!factsOnly) {
      await readMembersInto(store.memberList(id), pages(region), guid, { signal });
      await readBannedInto(store.bannedList(id), pages(region), guid, { signal });
    }
    store.closeGroup(id, 'read');
  } catch (error) {
    const isOfGroup = error instanceof UntrustedListing || (error instanceof QuestionRefused && !error.ofRegion);
    if (!isOfGroup) throw error;
    const { code, message } = error;
    store.closeGroup(id, code === GROUP_MISSING ? 'not_found' : 'failed', { code, message });
  }
}

/** Returns the reason why nothing more can be read, in a sentence; undefined for an unexpected error. */
function whyStopped(error: unknown): string | undefined {
  if (error instanceof QuestionRefused) return error.stopSentence('read');
  if (error instanceof UntrustedListing) return error.message;
  return undefined;
}
