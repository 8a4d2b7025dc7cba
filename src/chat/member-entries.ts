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
  endOfPlainString,
  endOfValue,
  enterObject,
  isDigit,
  NOT_WALKED,
  nextKey,
  OPEN_LIST,
  OPEN_OBJECT,
  QUOTE,
  skipSpace,
  startOfValue,
  startsWith,
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
const SUCCESS = Buffer.from('success"');
const TRUE = Buffer.from('true');
const ID = Buffer.from('id"');
const MEMBERS_COUNT = Buffer.from('membersCount"');
const LIST_KEYS = MEMBER_LISTS.map((list) => ({ key: Buffer.from(`${list}"`), list }));
const WAY = WAY_TO_GROUP.map((name) => Buffer.from(`${name}"`));
/** The depth of the fields in an entry, and their names. */
const ENTRY = 0;
const MESSAGE = 1;
const GROUP = WAY.length;
const FIELDS = Array.from({ length: GROUP + 1 }, (_, depth) =>
  depth === ENTRY ? SUCCESS : depth === MESSAGE ? ID : depth === GROUP ? MEMBERS_COUNT : undefined,
);

/** Undefined if the whole reply must be parsed, such as when a key comes twice: JSON.parse keeps the last. */
export function walkEntries(bytes: Buffer, redact: Redact): MemberEntries | undefined {
  const entries = new Map<string, MemberResult>();
  let hasData = false;
  const end = walkObject(bytes, skipSpace(bytes, 0), (key, value) => {
    if (!startsWith(bytes, key, DATA)) return endOfValue(bytes, value);
    if (hasData) return NOT_WALKED;
    hasData = true;
    return walkLists(bytes, value, entries, redact);
  });
  return end >= 0 && hasData && skipSpace(bytes, end) === bytes.length - 1 ? entries : undefined;
}

function walkLists(bytes: Buffer, at: number, entries: Map<string, MemberResult>, redact: Redact) {
  const seen = new Set<MemberList>();
  const found: Found = { isSuccess: false, messageId: undefined, members: undefined };
  return walkObject(bytes, at, (key, value) => {
    const known = LIST_KEYS.find((one) => startsWith(bytes, key, one.key));
    if (known === undefined) return endOfValue(bytes, value);
    if (seen.has(known.list)) return NOT_WALKED;
    seen.add(known.list);
    if (bytes[value] === OPEN_LIST) return endOfEmptyList(bytes, value);
    return walkObject(bytes, value, (uid, entry, keyEnd) => {
      const name = asciiIn(bytes, uid, keyEnd);
      if (name === undefined || entries.has(name)) return NOT_WALKED;
      const end = walkSuccess(bytes, entry, found);
      if (end >= 0) {
        entries.set(name, success(found, redact));
        return end;
      }
      const endOfOther = endOfValue(bytes, entry);
      if (endOfOther >= 0) {
        const read = memberEntry(JSON.parse(bytes.toString('utf8', entry, endOfOther)));
        entries.set(name, shownEntry(read, redact));
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
function walkObject(bytes: Buffer, at: number, visit: (key: number, value: number, keyEnd: number) => number) {
  let place = enterObject(bytes, at);
  while (place >= 0 && bytes[place] === QUOTE) {
    const key = place + 1;
    const keyEnd = endOfPlainString(bytes, key);
    const value = keyEnd < 0 ? NOT_WALKED : startOfValue(bytes, keyEnd + 1);
    const end = value < 0 ? NOT_WALKED : visit(key, value, keyEnd);
    place = end < 0 ? NOT_WALKED : nextKey(bytes, end);
  }
  return place < 0 ? NOT_WALKED : place + 1;
}

/** Result of scanning an entry. */
interface Found {
  isSuccess: boolean;
  messageId: string | undefined;
  members: number | undefined;
}

/** Walks over the entry of a success. Gives NOT_WALKED for what is not a plain one. */
function walkSuccess(bytes: Buffer, at: number, found: Found) {
  found.isSuccess = false;
  found.messageId = undefined;
  found.members = undefined;
  const end = walkEntry(bytes, at, ENTRY, found);
  return found.isSuccess ? end : NOT_WALKED;
}

/**
 * Scans an entry of a success, or an object between the entry and the group in its message.
 * Returns NOT_WALKED if it is not a plain success, or repeats a relevant key.
 * (`walkObject` with a function for each object would take twice as long.)
 */
function walkEntry(bytes: Buffer, at: number, depth: number, found: Found): number {
  const next = WAY[depth];
  const field = FIELDS[depth];
  let hasNext = false;
  let hasField = false;
  let place = enterObject(bytes, at);
  while (place >= 0 && bytes[place] === QUOTE) {
    const key = place + 1;
    const keyEnd = endOfPlainString(bytes, key);
    const value = keyEnd < 0 ? NOT_WALKED : startOfValue(bytes, keyEnd + 1);
    if (value < 0) return NOT_WALKED;
    const isNext = next !== undefined && startsWith(bytes, key, next);
    const isField = field !== undefined && startsWith(bytes, key, field);
    if ((isNext && hasNext) || (isField && hasField)) return NOT_WALKED;
    hasNext ||= isNext;
    hasField ||= isField;
    const end =
      isNext && bytes[value] === OPEN_OBJECT ? walkEntry(bytes, value, depth + 1, found) : endOfValue(bytes, value);
    if (end < 0 || (isField && !keep(bytes, value, end, depth, found))) return NOT_WALKED;
    place = nextKey(bytes, end);
  }
  return place < 0 ? NOT_WALKED : place + 1;
}

/** Keeps the field of this depth; false where the entry is not a success. */
function keep(bytes: Buffer, value: number, end: number, depth: number, found: Found) {
  if (depth === ENTRY) {
    found.isSuccess = startsWith(bytes, value, TRUE);
    return found.isSuccess;
  }
  if (depth === MESSAGE) found.messageId = readMessageId(scalarIn(bytes, value, end));
  else found.members = readMemberCount(scalarIn(bytes, value, end));
  return true;
}

/** A value that has been walked over. Digits, with and without quotes, take two thirds of the time that JSON.parse takes. */
function scalarIn(bytes: Buffer, from: number, to: number): unknown {
  const isText = bytes[from] === QUOTE;
  const first = isText ? from + 1 : from;
  const last = isText ? to - 1 : to;
  if (!hasDigitsOnly(bytes, first, last)) return JSON.parse(bytes.toString('utf8', from, to));
  const digits = bytes.toString('latin1', first, last);
  return isText ? digits : Number(digits);
}

function hasDigitsOnly(bytes: Buffer, from: number, to: number) {
  for (let at = from; at < to; at++) if (!isDigit(bytes[at])) return false;
  return true;
}

function endOfEmptyList(bytes: Buffer, at: number) {
  const end = skipSpace(bytes, at + 1);
  return bytes[end] === CLOSE_LIST ? end + 1 : NOT_WALKED;
}

/** In lower case; undefined where it is not ASCII, whose case is another matter. */
function asciiIn(bytes: Buffer, from: number, to: number) {
  for (let at = from; at < to; at++) if ((bytes[at] ?? 0) > 0x7f) return undefined;
  return foldId(bytes.toString('latin1', from, to));
}
