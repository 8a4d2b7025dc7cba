import { foldId } from '../membership/membership.ts';
import { isObject } from '../platform/stored-json.ts';
import { isRefusal, type RawReply, readReply } from './call.ts';
import { type AddMembersReply, addMembersReply, type ServiceError, serviceError, writtenResult } from './contract.ts';
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
import { MEMBER_LISTS } from './service/lists.ts';

/** The service's answer about one UID, as far as it may be shown: all its texts pass `redact`. */
export interface MemberResult {
  /** Undefined: the entry says neither yes nor no. */
  readonly success?: boolean;
  /** The refusal; of an entry that says neither, a message alone. */
  readonly error?: Pick<ServiceError, 'code' | 'message'>;
  readonly addition?: Addition;
}

/** The part of a successful entry that is kept: the rest of its action message is not read. */
export interface Addition {
  /** Id of the action message (docs/chat-service.md, 25). */
  readonly messageId?: string | undefined;
  /** The number of members of the group after the call. */
  readonly members?: number | undefined;
}

/** By lowercased UID, because the service compares UIDs without regard to case. A UID that it left out is missing. */
export type MemberEntries = ReadonlyMap<string, MemberResult>;

/** Names on the way from an entry to what the action message says of the group. */
const WAY_TO_GROUP = ['data', 'data', 'entities', 'for', 'entity'];

/** Reads an entry, whatever it is. One without a code, an error or `success: false` is no refusal either. */
export function readMember(entry: unknown, redact: Redact): MemberResult {
  if (isObject(entry) && entry['success'] === true) {
    return added(field(field(entry, 'data'), 'id'), field(WAY_TO_GROUP.reduce(field, entry), 'membersCount'), redact);
  }
  // The shape of a failure is not shown (docs/chat-service.md, 23): an `error`, or its fields in the entry itself.
  const { success, error, ...fields } = anyResult.parse(entry);
  const { code, message } = error ?? serviceError.parse(fields);
  const isRefused = success === false || error !== undefined || code !== undefined;
  return {
    ...(isRefused && { success: false }),
    error: {
      ...(code !== undefined && { code: redact(code) }),
      message: redact(message ?? `no message; the entry reads ${JSON.stringify(entry).slice(0, MAX_WRITTEN)}`),
    },
  };
}

/** One that is not an object says nothing. */
const anyResult = writtenResult.catch({});

/** Characters of an entry that are kept. */
const MAX_WRITTEN = 500;

function field(value: unknown, name: string): unknown {
  return isObject(value) ? value[name] : undefined;
}

/** A success. What breaks the contract is left out. */
function added(id: unknown, count: unknown, redact: Redact): MemberResult {
  const isId = typeof id === 'string' && (DIGITS.test(id) || (MESSAGE_ID.test(id) && redact(id) === id));
  const isCount = typeof count === 'number' && Number.isSafeInteger(count) && count >= 0;
  return { success: true, addition: { messageId: isId ? id : undefined, members: isCount ? count : undefined } };
}
const MESSAGE_ID = /^[\w-]{1,64}$/;
const DIGITS = /^\d{1,64}$/;

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
    for (const [uid, entry] of Object.entries(data[list] ?? {})) {
      const key = foldId(uid);
      if (!entries.has(key)) entries.set(key, readMember(entry, redact));
    }
  }
  return entries;
}

const DATA = Buffer.from('data"');
const TRUE = Buffer.from('true');
const LISTS = MEMBER_LISTS.map((list) => Buffer.from(`${list}"`));
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
    // Read as a text: to look for a byte beyond the end would make all later looks slower.
    return /^[ \t\r\n]*$/.test(bytes.toString('latin1', end)) ? entries : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function walkLists(bytes: Buffer, at: number, entries: Map<string, MemberResult>, redact: Redact) {
  const seen = new Set<Buffer>();
  return walkObject(bytes, at, (key, value) => {
    const list = LISTS.find((name) => startsWith(bytes, key, name));
    if (list === undefined) return endOfValue(bytes, value);
    if (seen.has(list)) throw notPlain();
    seen.add(list);
    const isEmpty = bytes[value] === OPEN_LIST && bytes[skipSpace(bytes, value + 1)] === CLOSE_LIST;
    if (isEmpty) return endOfValue(bytes, value);
    return walkObject(bytes, value, (uid, entry, uidEnd) => {
      const name = foldId(bytes.toString('utf8', uid, uidEnd));
      if (entries.has(name)) throw notPlain();
      const found: unknown[] = [];
      const end = walkEntry(bytes, entry, ENTRY, found);
      const read =
        found[ENTRY] === true
          ? added(found[MESSAGE], found[GROUP], redact)
          : readMember(JSON.parse(bytes.toString('utf8', entry, end)), redact);
      entries.set(name, read);
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
      // ASCII, or of no use.
      found[depth] =
        depth === ENTRY ? startsWith(bytes, value, TRUE) : JSON.parse(bytes.toString('latin1', value, end));
    }
    return end;
  });
}
