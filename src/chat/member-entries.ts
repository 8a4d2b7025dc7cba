import { MEMBER_LISTS, type MemberList } from '../membership/member-lists.ts';
import { isRefusal, type RawReply, readReply, refusedEntry } from './call.ts';
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
  CLOSE_OBJECT,
  COMMA,
  endOfPlainString,
  endOfValue,
  NOT_WALKED,
  OPEN_LIST,
  OPEN_OBJECT,
  QUOTE,
  skipSpace,
  startOfValue,
  startsWith,
} from './json-scan.ts';
import type { Redact } from './redact.ts';

/** What the reply says about one UID. Read it with `readEntry` of error-policy.ts. */
interface MemberEntry {
  readonly list: MemberList;
  readonly entry: MemberResult;
}

/** By lowercased UID, because the service compares UIDs without regard to case. A UID that it left out is missing. */
export type MemberEntries = ReadonlyMap<string, MemberEntry>;

/**
 * Reads the reply to an add-members call. Each success brings a whole action message along of which two fields are kept,
 * 20 KB for 25 UIDs, so the reply is scanned and only other entries are parsed. An unusual reply is read whole by the contract's
 * schema; test/chat/member-entries.test.ts shows that both give the same result.
 * @throws ServiceRefusal, MalformedReply
 */
export function readMemberEntries(raw: RawReply, redact: Redact): MemberEntries {
  const walked = isRefusal(raw.httpStatus) || raw.body === null ? undefined : walkEntries(raw.body, redact);
  return walked ?? entriesOf(readReply(raw, addMembersReply, redact), redact);
}

/** If a UID is in two lists, the higher one counts: the service places it there. */
export function entriesOf({ data }: AddMembersReply, redact: Redact): MemberEntries {
  const entries = new Map<string, MemberEntry>();
  for (const list of MEMBER_LISTS) {
    const results = data[list];
    for (const uid in results) {
      const entry = results[uid];
      const key = uid.toLowerCase();
      if (entry === undefined || entries.has(key)) continue;
      entries.set(key, {
        list,
        entry: entry.success === true ? success(entry.addition, redact) : refusedEntry(entry, redact),
      });
    }
  }
  return entries;
}

/** A success, with what is kept of its message. All texts pass `redact`: a text of the service could contain a key. */
function success({ messageId, members }: Addition = {}, redact: Redact): MemberResult {
  const isClean = messageId !== undefined && (DIGITS.test(messageId) || redact(messageId) === messageId);
  return { success: true, addition: { ...(isClean && { messageId }), ...(members !== undefined && { members }) } };
}
const DIGITS = /^\d+$/;

const DATA = Buffer.from('data"');
const SUCCESS = Buffer.from('success"');
const TRUE = Buffer.from('true');
const ID = Buffer.from('id"');
const MEMBERS_COUNT = Buffer.from('membersCount"');
const LIST_KEYS = MEMBER_LISTS.map((list) => ({ key: Buffer.from(`${list}"`), list }));
const WAY = WAY_TO_GROUP.map((name) => Buffer.from(`${name}"`));
/** How far along the way the fields are. */
const ENTRY = 0;
const MESSAGE = 1;
const GROUP = WAY.length;

/** Undefined if the whole reply must be parsed, such as when a key comes twice: JSON.parse keeps the last. */
export function walkEntries(bytes: Buffer, redact: Redact): MemberEntries | undefined {
  const entries = new Map<string, MemberEntry>();
  let hasData = false;
  const end = walkObject(bytes, skipSpace(bytes, 0), (key, value) => {
    if (!startsWith(bytes, key, DATA)) return endOfValue(bytes, value);
    if (hasData) return NOT_WALKED;
    hasData = true;
    return walkLists(bytes, value, entries, redact);
  });
  return end >= 0 && hasData && skipSpace(bytes, end) === bytes.length - 1 ? entries : undefined;
}

function walkLists(bytes: Buffer, at: number, entries: Map<string, MemberEntry>, redact: Redact): number {
  const seen = new Set<MemberList>();
  return walkObject(bytes, at, (key, value) => {
    const known = LIST_KEYS.find((one) => startsWith(bytes, key, one.key));
    if (known === undefined) return endOfValue(bytes, value);
    if (seen.has(known.list)) return NOT_WALKED;
    seen.add(known.list);
    if (bytes[value] === OPEN_LIST) return endOfEmptyList(bytes, value);
    return walkObject(bytes, value, (uid, entry, keyEnd) => {
      const name = asciiIn(bytes, uid, keyEnd);
      if (name === undefined || entries.has(name)) return NOT_WALKED;
      const found: Found = { successes: 0 };
      const end = walkEntry(bytes, entry, ENTRY, found);
      if (end >= 0 && found.successes === 1) {
        entries.set(name, { list: known.list, entry: success(found, redact) });
        return end;
      }
      const endOfOther = endOfValue(bytes, entry);
      if (endOfOther >= 0) {
        const read = memberEntry(JSON.parse(bytes.toString('utf8', entry, endOfOther)));
        const isSuccessful = read.success === true;
        entries.set(name, {
          list: known.list,
          entry: isSuccessful ? success(read.addition, redact) : refusedEntry(read, redact),
        });
      }
      return endOfOther;
    });
  });
}

/**
 * @param at where the opening brace must be
 * @param visit is given the first byte of a key, that of its value, and where the key ends; it gives the place after the
 *   value. No key has an escape in it: such an object is not walked.
 */
function walkObject(bytes: Buffer, at: number, visit: (key: number, value: number, keyEnd: number) => number): number {
  if (bytes[at] !== OPEN_OBJECT) return NOT_WALKED;
  let place = skipSpace(bytes, at + 1);
  if (bytes[place] === CLOSE_OBJECT) return place + 1;
  for (;;) {
    if (bytes[place] !== QUOTE) return NOT_WALKED;
    const key = place + 1;
    const keyEnd = endOfPlainString(bytes, key);
    const value = keyEnd < 0 ? NOT_WALKED : startOfValue(bytes, keyEnd + 1);
    const end = value < 0 ? NOT_WALKED : visit(key, value, keyEnd);
    if (end < 0) return NOT_WALKED;
    place = skipSpace(bytes, end);
    if (bytes[place] === CLOSE_OBJECT) return place + 1;
    if (bytes[place] !== COMMA) return NOT_WALKED;
    place = skipSpace(bytes, place + 1);
  }
}

/** What walking over an entry has found. */
interface Found {
  /** Fields `success` that are true. */
  successes: number;
  messageId?: string | undefined;
  members?: number | undefined;
}

/**
 * Walks over an entry of a success, or an object on the way from it to the group in its message.
 * Gives NOT_WALKED for what is not a plain success, and where a key that counts comes twice.
 */
function walkEntry(bytes: Buffer, at: number, depth: number, found: Found): number {
  const next = WAY[depth];
  let hasNext = false;
  let hasField = false;
  return walkObject(bytes, at, (key, value) => {
    if (next !== undefined && startsWith(bytes, key, next)) {
      if (hasNext) return NOT_WALKED;
      hasNext = true;
      return bytes[value] === OPEN_OBJECT ? walkEntry(bytes, value, depth + 1, found) : endOfValue(bytes, value);
    }
    if (depth === ENTRY && startsWith(bytes, key, SUCCESS)) {
      found.successes++;
      return startsWith(bytes, value, TRUE) ? value + TRUE.length : NOT_WALKED;
    }
    const isField =
      (depth === MESSAGE && startsWith(bytes, key, ID)) || (depth === GROUP && startsWith(bytes, key, MEMBERS_COUNT));
    const end = endOfValue(bytes, value);
    if (!isField || end < 0) return end;
    if (hasField) return NOT_WALKED;
    hasField = true;
    const read: unknown = JSON.parse(bytes.toString('utf8', value, end));
    if (depth === MESSAGE) found.messageId = readMessageId(read);
    else found.members = readMemberCount(read);
    return end;
  });
}

function endOfEmptyList(bytes: Buffer, at: number): number {
  const end = skipSpace(bytes, at + 1);
  return bytes[end] === CLOSE_LIST ? end + 1 : NOT_WALKED;
}

/** In lower case; undefined where it is not ASCII, whose case is another matter. */
function asciiIn(bytes: Buffer, from: number, to: number): string | undefined {
  for (let at = from; at < to; at++) if ((bytes[at] ?? 0) > 0x7f) return undefined;
  return bytes.toString('latin1', from, to).toLowerCase();
}
