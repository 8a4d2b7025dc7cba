import { isObject } from '../../platform/stored-json.ts';
import type { Element } from './element.ts';
import { IntakeError, shown } from './intake-error.ts';

/** A document that is one page of a list: read alone, it would pass for the whole list. */

/** Fields with the next page, or with what its address needs. Names are compared without `@odata.`, `_` and capitals. */
const NEXT =
  /^next(?:link|url|uri|href|page|pageurl|pagelink|pagetoken|token|cursor|marker|offset)?$|^continuationtoken$/;
const MORE = /^(?:hasmore|hasnext|hasnextpage|hasmorepages|istruncated)$/;
/** Objects in which APIs write these fields. */
const AROUND = /^(?:links|meta|metadata|paging|pagination|page|pageinfo|responsemetadata)$/;

interface Sign {
  /** Such as `meta.next`. */
  readonly field: string;
  readonly goesOn: boolean;
}

/**
 * @param outermost the object around the rows, without them
 * @param property its list of rows
 * @throws IntakeError MORE_PAGES
 */
export function refusePage(outermost: Element, property: string): void {
  const signs = [...signsIn(outermost, '')];
  const [first] = signs;
  if (first === undefined || signs.some(({ goesOn }) => !goesOn)) return;
  throw new IntakeError({
    code: 'MORE_PAGES',
    what: `the document is one page of several: it says so in ${shown(first.field)}`,
    remedy: `Give the rows of all pages to rollcall import -, or those of this one alone: jq -c '.${property}[]' <file> | rollcall import -`,
    facts: { field: first.field },
  });
}

function* signsIn(object: object, path: string): Generator<Sign> {
  for (const [key, value] of Object.entries(object)) {
    const field = `${path}${key}`;
    const name = key
      .replace(/^@?odata\./i, '')
      .replace(/[^a-z]/gi, '')
      .toLowerCase();
    if (MORE.test(name) && typeof value === 'boolean') yield { field, goesOn: value };
    else if (NEXT.test(name) && isPage(name, value)) yield { field, goesOn: true };
    else if (AROUND.test(name) && isObject(value)) yield* signsIn(value, `${field}.`);
  }
}

/** Whether a value leads to the next page. A plain `next` may be any word: only an address is meant for sure. */
function isPage(name: string, value: unknown): boolean {
  const place = isObject(value) ? (value['href'] ?? value['url'] ?? value['link']) : value;
  if (typeof place === 'string' && /^(?:https?:\/\/|[/?])./i.test(place)) return true;
  return name !== 'next' && (typeof value === 'number' || (typeof value === 'string' && value !== ''));
}
