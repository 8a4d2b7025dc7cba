import { ACTIONS, type Action, REGIONS, type Region, SCOPES, type Scope } from '../../membership/membership.ts';
import { OUTCOMES, type Outcome } from '../../membership/outcome.ts';
import { ledgerContradiction } from '../../platform/database-errors.ts';

/** The ledger's numbers for words; the tables of the same names have them in SQL (import-schema.sql). */
export const outcomeId = (outcome: Outcome): number => OUTCOMES.indexOf(outcome) + 1;
export const scopeId = (scope: Scope): number => SCOPES.indexOf(scope) + 1;
export const actionId = (action: Action): number => ACTIONS.indexOf(action) + 1;
export const regionId = (region: Region): number => REGIONS.indexOf(region) + 1;

/** The GUID of a batch whose rows may be of any groups. */
export const EVERY_GROUP = '';

export function outcomeOf(id: number): Outcome {
  return word(OUTCOMES, id);
}

export function scopeOf(id: number): Scope {
  return word(SCOPES, id);
}

export function actionOf(id: number): Action {
  return word(ACTIONS, id);
}

export function regionOf(id: number): Region {
  return word(REGIONS, id);
}

function word<Word>(words: readonly Word[], id: number): Word {
  const found = words[id - 1];
  if (found === undefined) throw ledgerContradiction(`no word has the number ${id}`);
  return found;
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
