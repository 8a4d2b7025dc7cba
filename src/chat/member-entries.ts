import { MEMBER_LISTS, type MemberList } from '../membership/member-lists.ts';
import { type AddMembersReply, addMembersReply, isSuccess, type MemberResult, memberEntry } from './contract.ts';
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
import { isRefusal, type RawReply, readReply, refusedEntry } from './reply.ts';

/** What the reply says about one UID. Read it with `readEntry` of error-policy.ts. */
interface MemberEntry {
  readonly list: MemberList;
  readonly entry: MemberResult;
}

/** By lowercased UID, because the service compares UIDs without regard to case. A UID that it left out is missing. */
export type MemberEntries = ReadonlyMap<string, MemberEntry>;

/**
 * Reads the reply to an add-members call. Each success brings a whole action message along that nobody reads, 20 KB for
 * 25 UIDs, so the reply is walked over and only other entries are parsed. A reply that is unusual in any way is read as
 * a whole by the contract's schema; test/chat/member-entries.test.ts shows that both come to the same.
 * @throws ServiceRefusal, MalformedReply
 */
export function readMemberEntries(raw: RawReply, redact: Redact): MemberEntries {
  const walked = isRefusal(raw.httpStatus) || raw.body === null ? undefined : walkEntries(raw.body, redact);
  return walked ?? entriesOf(readReply(raw, addMembersReply, redact), redact);
}

/** Where a UID stands in two lists, the higher one counts: the service places it there. */
export function entriesOf({ data }: AddMembersReply, redact: Redact): MemberEntries {
  const entries = new Map<string, MemberEntry>();
  for (const list of MEMBER_LISTS) {
    const results = data[list];
    for (const uid in results) {
      const entry = results[uid];
      const key = uid.toLowerCase();
      if (entry === undefined || entries.has(key)) continue;
      entries.set(key, { list, entry: entry.success === true ? entry : refusedEntry(entry, redact) });
    }
  }
  return entries;
}

const DATA = Buffer.from('data"');
const SUCCESS = Buffer.from('success"');
const TRUE = Buffer.from('true');
/** One for each list, as every success in it says the same. */
const SUCCESSES = MEMBER_LISTS.map((list) => ({
  key: Buffer.from(`${list}"`),
  list,
  found: { list, entry: { success: true } } satisfies MemberEntry,
}));

/** Undefined where the reply must be read as a whole. (A key twice: of two equal ones JSON.parse keeps the last.) */
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
    const known = SUCCESSES.find((one) => startsWith(bytes, key, one.key));
    if (known === undefined) return endOfValue(bytes, value);
    if (seen.has(known.list)) return NOT_WALKED;
    seen.add(known.list);
    if (bytes[value] === OPEN_LIST) return endOfEmptyList(bytes, value);
    return walkObject(bytes, value, (uid, entry, keyEnd) => {
      const name = asciiIn(bytes, uid, keyEnd);
      if (name === undefined || entries.has(name)) return NOT_WALKED;
      const end = endOfSuccess(bytes, entry);
      if (end >= 0) {
        entries.set(name, known.found);
        return end;
      }
      const endOfOther = endOfValue(bytes, entry);
      if (endOfOther >= 0) {
        const read = memberEntry(JSON.parse(bytes.toString('utf8', entry, endOfOther)));
        entries.set(name, isSuccess(read) ? known.found : { list: known.list, entry: refusedEntry(read, redact) });
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

/** The place after an entry that says `success` once, with `true`; NOT_WALKED for every other one. */
function endOfSuccess(bytes: Buffer, at: number): number {
  let successes = 0;
  const end = walkObject(bytes, at, (key, value) => {
    if (!startsWith(bytes, key, SUCCESS)) return endOfValue(bytes, value);
    successes++;
    return startsWith(bytes, value, TRUE) ? value + TRUE.length : NOT_WALKED;
  });
  return successes === 1 ? end : NOT_WALKED;
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
