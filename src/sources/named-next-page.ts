import { option, words } from '../errors/named-options.ts';
import { shown } from '../imports/read/intake-error.ts';
import { isObject } from '../platform/stored-json.ts';
import { SourceError } from './source-errors.ts';

/** A JSON document that names its next page in itself: read alone, it would pass for the whole list. */

/** Maximum size of the part beside the rows, in bytes. */
const MAX_BYTES = 16 * 1024;
/** Fields and objects by which APIs say how a list goes on; without capitals, `_`, `@` and the like. */
const ADDRESSES = new Set([
  'next',
  'nextlink',
  'nexturl',
  'nexturi',
  'nexthref',
  'nextpageurl',
  'nextpagelink',
  'nextpage',
]);
const CURSORS = new Set([
  'nextcursor',
  'nextpage',
  'nextpagetoken',
  'nexttoken',
  'nextmarker',
  'nextoffset',
  'continuationtoken',
]);
const FLAGS = new Set(['hasmore', 'hasnext', 'hasnextpage', 'hasmorepages', 'istruncated']);
const PLACES = new Set(['links', 'meta', 'metadata', 'paging', 'pagination', 'page', 'pageinfo', 'responsemetadata']);
const DEEPEST = 4;

type Kind = 'address' | 'cursor' | 'flag' | 'end';
interface Named {
  readonly kind: Kind;
  /** Such as `meta.next`. */
  readonly field: string;
}

/**
 * The same pieces. At their end, an object with a list in it whose own fields say that there are more pages is refused; rows
 * are not looked at.
 * @param what as it is shown @throws SourceError MORE_PAGES
 */
export async function* refuseNamedNext(pieces: AsyncIterable<Uint8Array>, what: string): AsyncGenerator<Uint8Array> {
  const envelope = openEnvelope();
  for await (const piece of pieces) {
    envelope.push(piece);
    yield piece;
  }
  const named = envelope.named();
  const found = (['address', 'cursor', 'flag'] as const).flatMap((kind) => named.filter((one) => one.kind === kind));
  const [first] = found;
  if (first === undefined || named.some(({ kind }) => kind === 'end')) return;
  const { kind, field } = first;
  const alone = words`for this page alone, say ${option('nextPage', ALONE)}`;
  throw new SourceError(`${what} is one page of several: it says so in ${shown(field)}`, {
    code: 'MORE_PAGES',
    facts: { field },
    remedy:
      kind === 'address'
        ? words`read them all with ${option('nextPage', field)}; ${alone}`
        : kind === 'cursor'
          ? words`read them all with ${option('nextPage', `PARAMETER=${field}`)}, where PARAMETER is what the address calls it; ${alone}`
          : words`name the field that has the next page with ${option('nextPage', 'FIELD')}; ${alone}`,
  });
}

/** In place of a field: what comes is all that is wanted. */
export const ALONE = 'none';

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_LIST, CLOSE_LIST] = [0x7b, 0x7d, 0x5b, 0x5d];
/** White space, and the mark at the beginning of a text. */
const BLANK: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf]);

/** The outermost object of a document, of which only members that are short are looked at. */
function openEnvelope() {
  const member = Buffer.alloc(MAX_BYTES);
  const found: Named[] = [];
  let length = 0;
  let depth = 0;
  let inText = false;
  let escaped = false;
  let hasList = false;
  let state: 'before' | 'inside' | 'behind' | 'other' = 'before';

  const endMember = () => {
    if (length < MAX_BYTES) found.push(...namedIn(member.toString('utf8', 0, length)));
    length = 0;
  };
  return {
    push: (piece: Uint8Array) => {
      for (let at = 0; at < piece.length && state !== 'other'; at += 1) {
        const byte = piece[at] ?? 0;
        if (state !== 'inside') {
          if (BLANK.has(byte)) continue;
          // Another value behind the first: these are lines, and each is a row.
          state = state === 'before' && byte === OPEN_OBJECT ? 'inside' : 'other';
          depth = 1;
          continue;
        }
        if (inText) {
          if (escaped) escaped = false;
          else if (byte === BACKSLASH) escaped = true;
          else if (byte === QUOTE) inText = false;
        } else if (byte === QUOTE) inText = true;
        else if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
          hasList ||= byte === OPEN_LIST;
          depth += 1;
        } else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) depth -= 1;
        if (depth === 0 || (depth === 1 && byte === COMMA && !inText)) {
          endMember();
          if (depth === 0) state = 'behind';
        } else if (length < MAX_BYTES) member[length++] = byte;
      }
    },
    named: (): readonly Named[] => (state === 'behind' && hasList ? found : []),
  };
}

/** @param text a key and its value, as they are written */
function namedIn(text: string): Named[] {
  const [, key] = /^\s*"([^"\\]*)"\s*:/.exec(text) ?? [];
  if (key === undefined || ![ADDRESSES, CURSORS, FLAGS, PLACES].some((names) => names.has(plain(key)))) return [];
  try {
    return namedBy(JSON.parse(`{${text}}`), '', 1);
  } catch {
    // Its reader says what is wrong with it.
    return [];
  }
}

function namedBy(object: Readonly<Record<string, unknown>>, path: string, depth: number): Named[] {
  return Object.entries(object).flatMap(([key, value]): Named[] => {
    const name = plain(key);
    const field = `${path}${key}`;
    if (FLAGS.has(name) && typeof value === 'boolean') return [{ kind: value ? 'flag' : 'end', field }];
    if (ADDRESSES.has(name)) {
      if (isAddress(value)) return [{ kind: 'address', field }];
      const inside = isObject(value) ? ['href', 'url', 'link'].find((one) => isAddress(value[one])) : undefined;
      if (inside !== undefined) return [{ kind: 'address', field: `${field}.${inside}` }];
    }
    if (CURSORS.has(name) && ((typeof value === 'string' && value !== '') || typeof value === 'number')) {
      return [{ kind: 'cursor', field }];
    }
    return PLACES.has(name) && isObject(value) && depth < DEEPEST ? namedBy(value, `${field}.`, depth + 1) : [];
  });
}

function isAddress(value: unknown): boolean {
  return typeof value === 'string' && /^(?:https?:\/\/|[/?])./i.test(value);
}

/** `@odata.nextLink` is `nextlink`. */
function plain(key: string): string {
  return key
    .toLowerCase()
    .replace(/^@?odata\./, '')
    .replace(/[^a-z]/g, '');
}
