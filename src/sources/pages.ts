import { option, words } from '../errors/named-options.ts';
import type { Element, Elements } from '../imports/read/element.ts';
import { boundsWith } from '../imports/read/intake-bounds.ts';
import { IntakeError, shown } from '../imports/read/intake-error.ts';
import { jsonRows } from '../imports/read/json.ts';
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
