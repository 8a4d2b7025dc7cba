import { foldId } from '../membership/membership.ts';
import { isRefusal, otherEntry, type RawReply, readReply } from './call.ts';
import {
  type Addition,
  type AddMembersReply,
  addMembersReply,
  type MemberResult,
  memberEntry,
  readMemberCount,
  readMessageId,
  WAY_TO_GROUP,
} from './contract.ts';
import {
  CLOSE_LIST,
  endOfValue,
  notPlain,
  OPEN_LIST,
  OPEN_OBJECT,
  skipSpace,
  startsWith,
  walkObject,
} from './json-scan.ts';
import type { Redact } from './redact.ts';
import { MEMBER_LISTS, type MemberList } from './service/lists.ts';

/** By lowercased UID, because the service compares UIDs without regard to case. A UID that it left out is missing. */
export type MemberEntries = ReadonlyMap<string, MemberResult>;

/**
 * Reads the reply to an add-members call. Each success brings a whole action message along of which two fields are kept,
 * 20 KB for 25 UIDs, so the reply is scanned and only other entries are parsed. An unusual reply is read whole by the contract's
 * schema; test/chat/member-entries.test.ts shows that both give the same result.
 * @throws REFUSED, MALFORMED_REPLY
 */
export function readMemberEntries(raw: RawReply, redact: Redact): MemberEntries {
  const walked = isRefusal(raw.httpStatus) || raw.body === null ? undefined : walkEntries(raw.body, redact);
  return walked ?? entriesOf(readReply(raw, addMembersReply, redact), redact);
}

/** If a UID is in two lists, the higher one counts: the service places it there. */
export function entriesOf({ data }: AddMembersReply, redact: Redact): MemberEntries {
  const entries = new Map<string, MemberResult>();
  for (const list of MEMBER_LISTS) {
    const results = data[list];
    for (const uid in results) {
      const entry = results[uid];
      const key = foldId(uid);
      if (entry === undefined || entries.has(key)) continue;
      entries.set(key, shownEntry(entry, redact));
    }
  }
  return entries;
}

function shownEntry(entry: MemberResult, redact: Redact) {
  return entry.success === true ? success(entry.addition, redact) : otherEntry(entry, redact);
}

/** A success, with what is kept of its message. All texts pass `redact`: a text of the service could contain a key. */
function success({ messageId, members }: Addition = {}, redact: Redact): MemberResult {
  const isClean = messageId !== undefined && (DIGITS.test(messageId) || redact(messageId) === messageId);
  return { success: true, addition: { messageId: isClean ? messageId : undefined, members } };
}
const DIGITS = /^\d+$/;

const DATA = Buffer.from('data"');
const LIST_KEYS = MEMBER_LISTS.map((list) => ({ key: Buffer.from(`${list}"`), list }));
const WAY = WAY_TO_GROUP.map((name) => Buffer.from(`${name}"`));
/** The depth of the fields in an entry that are kept, and their names. */
const ENTRY = 0;
const MESSAGE = 1;
const GROUP = WAY.length;
const KEPT: Readonly<Record<number, Buffer>> = {
  [ENTRY]: Buffer.from('success"'),
  [MESSAGE]: Buffer.from('id"'),
  [GROUP]: Buffer.from('membersCount"'),
};

/** Undefined if the whole reply must be parsed, such as when a UID comes twice. */
export function walkEntries(bytes: Buffer, redact: Redact): MemberEntries | undefined {
  let entries: MemberEntries | undefined;
  try {
    const end = walkObject(bytes, skipSpace(bytes, 0), (key, value) => {
      if (!startsWith(bytes, key, DATA)) return endOfValue(bytes, value);
      // Of a key that comes twice, the last counts, as for JSON.parse.
      const read = new Map<string, MemberResult>();
      entries = read;
      return walkLists(bytes, value, read, redact);
    });
    return bytes.toString('latin1', end).trim() === '' ? entries : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function walkLists(bytes: Buffer, at: number, entries: Map<string, MemberResult>, redact: Redact) {
  const seen = new Set<MemberList>();
  return walkObject(bytes, at, (key, value) => {
    const known = LIST_KEYS.find((one) => startsWith(bytes, key, one.key));
    const isEmpty = bytes[value] === OPEN_LIST && bytes[skipSpace(bytes, value + 1)] === CLOSE_LIST;
    if (known === undefined || isEmpty) return endOfValue(bytes, value);
    if (seen.has(known.list)) throw notPlain();
    seen.add(known.list);
    return walkObject(bytes, value, (uid, entry, uidEnd) => {
      const name = foldId(bytes.toString('utf8', uid, uidEnd));
      if (entries.has(name)) throw notPlain();
      const found: unknown[] = [];
      const end = walkEntry(bytes, entry, ENTRY, found);
      const read =
        found[ENTRY] === true
          ? {
              success: true,
              addition: { messageId: readMessageId(found[MESSAGE]), members: readMemberCount(found[GROUP]) },
            }
          : memberEntry(JSON.parse(bytes.toString('utf8', entry, end)));
      entries.set(name, shownEntry(read, redact));
      return end;
    });
  });
}

/** Walks over an entry, or an object between it and the group in its message. @param found what is kept, by its depth */
function walkEntry(bytes: Buffer, at: number, depth: number, found: unknown[]): number {
  const next = WAY[depth];
  const kept = KEPT[depth];
  return walkObject(bytes, at, (key, value) => {
    if (next !== undefined && startsWith(bytes, key, next)) {
      if (found.length > depth + 1) throw notPlain(); // it comes twice
      if (bytes[value] === OPEN_OBJECT) return walkEntry(bytes, value, depth + 1, found);
    }
    const end = endOfValue(bytes, value);
    if (kept !== undefined && startsWith(bytes, key, kept)) {
      found[depth] = JSON.parse(bytes.toString('latin1', value, end)); // ASCII, or of no use
    }
    return end;
  });
}
