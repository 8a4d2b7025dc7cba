import { ACTIONS, REGIONS, SCOPES } from '../../membership/membership.ts';
import { OUTCOMES } from '../../membership/outcome.ts';
import { ledgerContradiction } from '../../platform/database-errors.ts';

/** The ledger's numbers for words, and back; the tables of the same names have them in SQL (import-schema.sql). */
export const [outcomeId, outcomeOf] = numbered(OUTCOMES);
export const [scopeId, scopeOf] = numbered(SCOPES);
export const [actionId, actionOf] = numbered(ACTIONS);
export const [regionId, regionOf] = numbered(REGIONS);

/** The GUID of a batch whose rows may be of any groups. */
export const EVERY_GROUP = '';

function numbered<Word>(words: readonly Word[]): [idOf: (word: Word) => number, wordOf: (id: number) => Word] {
  const wordOf = (id: number): Word => {
    const found = words[id - 1];
    if (found === undefined) throw ledgerContradiction(`no word has the number ${id}`);
    return found;
  };
  return [(word) => words.indexOf(word) + 1, wordOf];
}

/** 53 bits over the UID in lower case. Equal UIDs have equal hashes; the reverse is checked in SQL. */
export function hashUid(uid: string): number {
  let high = 0x811c9dc5;
  let low = 0x9747b28c;
  for (let i = 0; i < uid.length; i++) {
    let code = uid.charCodeAt(i);
    if (code >= 65 && code <= 90) code += 32;
    high = Math.imul(high ^ code, 0x01000193);
    low = Math.imul(low ^ code, 0x5bd1e995);
    low ^= low >>> 13;
  }
  return (high >>> 0) * 0x20_0000 + (low >>> 11);
}
