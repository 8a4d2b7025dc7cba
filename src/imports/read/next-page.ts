import { isObject } from '../../platform/stored-json.ts';
import type { Element } from './element.ts';
import { IntakeError, shown } from './intake-error.ts';

/**
 * A document that is one page of a list: read alone, it would pass for the whole list. It says so by the next page, or the one
 * before; by a flag; by a total above the number of its rows; or by a number of pages.
 */

/** Fields with another page, or with what its address needs. Names are compared in small letters without anything else. */
const NEXT =
  /^next(?:link|url|uri|href|page|pageurl|pagelink|pagetoken|token|cursor|marker|offset)?$|^(?:continuation|continue)(?:token)?$/;
const BEFORE = /^prev(?:ious)?(?:link|url|uri|href|page|pageurl|pagelink)?$/;
const MORE = /^(?:hasmore|hasnext|hasnextpage|hasmorepages|istruncated)$/;
const LAST = /^(?:is)?last(?:page)?$/;
/** Numbers of all rows, on every page. */
const TOTAL =
  /^total(?:results?|counts?|items?|elements?|rows|records|size|entries|members|users|hits)?$|^(?:results?|items?|records?)total$/;
const PAGES = /^(?:pages|totalpages|pagestotal|pagecount|numpages|lastpage)$/;
/** Objects in which APIs write these fields. */
const AROUND = /^(?:links|meta|metadata|paging|pagination|page|pageinfo|responsemetadata|cursor)$/;

interface Sign {
  /** Such as `meta.next`. */
  readonly field: string;
  /** Undefined: it is a page, whether or not another follows. */
  readonly goesOn: boolean | undefined;
}

/**
 * @param outermost the object around the rows, without them
 * @param property its list of rows
 * @param rows their number
 * @throws IntakeError MORE_PAGES
 */
export function refusePage(outermost: Element, property: string, rows: number): void {
  const signs = [...signsIn(outermost, '', rows)];
  const page = signs.find(({ goesOn }) => goesOn === undefined);
  const isLast = signs.some(({ goesOn }) => goesOn === false);
  const sign = page ?? (isLast ? undefined : signs[0]);
  if (sign === undefined) return;
  throw new IntakeError(
    'MORE_PAGES',
    `the document is one page of several: it says so in ${shown(sign.field)}`,
    `Give the rows of all pages to rollcall import -, or those of this one alone: jq -c '.${property}[]' <file> | rollcall import -`,
    { facts: { field: sign.field } },
  );
}

function* signsIn(object: object, path: string, rows: number): Generator<Sign> {
  for (const [key, value] of Object.entries(object)) {
    const field = `${path}${key}`;
    const name = key
      .replace(/^@?odata\./i, '')
      .replace(/[^a-z]/gi, '')
      .toLowerCase();
    if (typeof value === 'boolean') {
      if (MORE.test(name)) yield { field, goesOn: value };
      if (LAST.test(name)) yield { field, goesOn: !value };
    } else if (NEXT.test(name) && isPage(name, value)) yield { field, goesOn: true };
    else if (BEFORE.test(name) && isPage('next', value)) yield { field, goesOn: undefined };
    else if (TOTAL.test(name) && isAbove(value, rows)) yield { field, goesOn: undefined };
    else if (PAGES.test(name) && isAbove(value, 1)) yield { field, goesOn: undefined };
    else if (AROUND.test(name) && isObject(value)) yield* signsIn(value, `${field}.`, rows);
  }
}

function isAbove(value: unknown, least: number) {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > least;
}

/** Whether a value leads to the next page. A plain `next` may be any word: only an address is meant for sure. */
function isPage(name: string, value: unknown) {
  const place = isObject(value) ? (value['href'] ?? value['url'] ?? value['link']) : value;
  if (typeof place === 'string' && /^(?:https?:\/\/|[/?])./i.test(place)) return true;
  return name !== 'next' && (typeof value === 'number' || (typeof value === 'string' && value !== ''));
}
