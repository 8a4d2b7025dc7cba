import { option, words } from '../errors/named-options.ts';
import type { Element, Elements } from '../imports/read/element.ts';
import { boundsWith } from '../imports/read/intake-bounds.ts';
import { IntakeError, shown } from '../imports/read/intake-error.ts';
import { jsonRows } from '../imports/read/json.ts';
import { isObject } from '../platform/stored-json.ts';
import { addressName } from '../text/address-text.ts';
import { SourceError } from './source-errors.ts';

/** Pages of a list that comes in several answers, as one JSON document: its elements, as they are written. */

export interface Page {
  /** Its address after redirects. */
  readonly place: URL;
  readonly type: string;
  /** The header `Link`. */
  readonly link: string;
  readonly pieces: AsyncIterable<Uint8Array>;
}

/** Whether it says so of itself. */
export function isJson({ type }: Pick<Page, 'type'>): boolean {
  return /[/+]json\b/i.test(type);
}

/** The address of the next page as the header `Link` names it. */
export function linkedPage(link: string): string | undefined {
  for (const [, address, parameters = ''] of link.matchAll(
    /<([^>]*)>((?:\s*;\s*[^;,="]+(?:=\s*(?:"[^"]*"|[^;,"]*))?)*)/g,
  )) {
    const [, quoted, plain = ''] = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,]+))/i.exec(parameters) ?? [];
    if ((quoted ?? plain).toLowerCase().split(/\s+/).includes('next')) return address;
  }
  return undefined;
}

/**
 * @param nextPage `field`: has the address of the next page; `parameter=field`: has what that parameter of the address is on
 * the next page. Undefined: the header `Link` says it
 * @param ask for another page, from where it may be
 */
export async function* joinedPages(
  first: Page,
  nextPage: string | undefined,
  ask: (place: URL) => Promise<Page>,
): AsyncGenerator<Uint8Array> {
  const seen = new Set([first.place.href]);
  const named = nextPage === undefined ? undefined : fieldOf(nextPage);
  let written = 0;
  for (let page = first, number = 1; ; number += 1) {
    const at = `page ${number} of ${shown(addressName(first.place.href))}`;
    if (!isJson(page)) throw noJson(at, page.type);
    let outermost: Element | undefined;
    const texts: Elements<string> = {
      isRow: () => false,
      envelope: (object) => {
        outermost = object;
      },
      *rows(_element, _place, text) {
        yield text;
      },
      finish: () => {},
    };
    for await (const chunk of elements(at, page.pieces, texts)) {
      yield Buffer.from(chunk.map((text) => `${written++ === 0 ? '[' : ','}\n${text}`).join(''));
    }
    const next =
      named === undefined
        ? linkedAddress(page, at)
        : addressIn(outermost, named, { at, isFirst: number === 1, place: page.place });
    if (next === undefined) break;
    if (next.origin !== page.place.origin) {
      throw new SourceError(`${at} names its next page at ${shown(next.origin)}, which is refused`, {
        remedy: 'pages stay at one server: name the address that it gives',
      });
    }
    if (seen.has(next.href)) throw new SourceError(`${at} names a next page that was read already, so it has no end`);
    seen.add(next.href);
    page = await ask(next);
  }
  yield Buffer.from(written === 0 ? '[]\n' : '\n]\n');
}

async function* elements(
  at: string,
  pieces: Page['pieces'],
  reader: Elements<string>,
): AsyncGenerator<readonly string[]> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const decoded = (piece?: Uint8Array) => {
    try {
      return Buffer.from(decoder.decode(piece, { stream: piece !== undefined }));
    } catch (cause) {
      throw new SourceError(`${at} is not UTF-8`, { cause });
    }
  };
  const whole = async function* () {
    for await (const piece of pieces) yield decoded(piece);
    yield decoded();
  };
  try {
    yield* jsonRows(whole(), reader, boundsWith());
  } catch (error) {
    if (error instanceof IntakeError) throw new SourceError(`${at} cannot be read: ${error.what}`, { cause: error });
    throw error;
  }
}

function noJson(at: string, type: string): SourceError {
  const what = type === '' ? 'no kind of content' : shown(type);
  return new SourceError(`${at} has ${what}, and only pages of JSON are joined`, {
    remedy: 'ask for all of it at once, or join the pages by other means and name the file',
  });
}

function linkedAddress({ link, place }: Page, at: string): URL | undefined {
  const address = linkedPage(link);
  return address === undefined ? undefined : addressOf(address, place, at);
}

function addressOf(text: string, from: URL, at: string): URL {
  if (!URL.canParse(text, from.href)) throw new SourceError(`${at} names a next page that is no address`);
  const next = new URL(text, from.href);
  next.hash = '';
  return next;
}

interface NextField {
  readonly field: string;
  /** The parameter of the address, if the field does not hold an address itself. */
  readonly parameter: string | undefined;
  /** The last page may lack it, and so may the first. */
  readonly mayLack: boolean;
}

function fieldOf(text: string): NextField {
  const [, parameter, field = '', lacks] = /^(?:([^=]+)=)?(.*?)(\?)?$/s.exec(text.trim()) ?? [];
  if (field !== '') return { field, parameter, mayLack: lacks !== undefined };
  throw new SourceError('nothing names the field with the next page', { remedy: FORM });
}

const FORM = words`write it as ${option('nextPage', 'meta.next')}, or with the parameter that a cursor is for: ${option('nextPage', 'cursor=meta.next')}`;

/** Undefined on the last page. */
function addressIn(
  outermost: Element | undefined,
  { field, parameter, mayLack }: NextField,
  { at, isFirst, place }: { readonly at: string; readonly isFirst: boolean; readonly place: URL },
): URL | undefined {
  const found = valueAt(outermost, field);
  if (found === undefined && isFirst && !mayLack) {
    const has = outermost === undefined ? 'it is a list, with nothing beside it' : `it has ${names(outermost)}`;
    throw new SourceError(`${at} has no field ${shown(field)}: ${has}`, {
      remedy: words`correct ${option('nextPage')}; where the last page has no such field, end it with ?: ${option('nextPage', `${parameter === undefined ? '' : `${parameter}=`}${field}?`)}`,
    });
  }
  if (found === undefined || found === null || found === '' || found === false) return undefined;
  const text = typeof found === 'string' ? found : JSON.stringify(found);
  if (typeof found !== 'string' && !/^-?\d/.test(text)) {
    throw new SourceError(`${at} has no text in ${shown(field)}`, { remedy: FORM });
  }
  if (parameter === undefined) {
    if (/^(?:https?:\/\/|[/?])/i.test(text)) return addressOf(text, place, at);
    throw new SourceError(`${at} has no address in ${shown(field)}`, { remedy: FORM });
  }
  const next = new URL(place);
  next.searchParams.set(parameter, text);
  return next;
}

/** The value at a path such as `meta.next`. A key may have dots itself, as `@odata.nextLink` has. */
function valueAt(value: unknown, path: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  const object = value as Element;
  if (Object.hasOwn(object, path)) return object[path];
  for (let dot = path.indexOf('.'); dot !== -1; dot = path.indexOf('.', dot + 1)) {
    const key = path.slice(0, dot);
    const found = Object.hasOwn(object, key) ? valueAt(object[key], path.slice(dot + 1)) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

const names = (object: Element) =>
  Object.keys(object)
    .slice(0, 10)
    .map((key) => shown(key))
    .join(', ');

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
