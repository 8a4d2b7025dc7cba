import { ACTIONS, type Action, REGIONS, type Region, SCOPES, type Scope } from '../../membership/membership.ts';
import { OUTCOMES, type Outcome } from '../../membership/outcome.ts';

/** The ledger's numbers for words; the tables of the same names have them in SQL (migrations/001_import.sql). */
export const outcomeId = (outcome: Outcome): number => OUTCOMES.indexOf(outcome) + 1;
export const scopeId = (scope: Scope): number => SCOPES.indexOf(scope) + 1;
export const actionId = (action: Action): number => ACTIONS.indexOf(action) + 1;
export const regionId = (region: Region): number => REGIONS.indexOf(region) + 1;

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
  if (found === undefined) throw new RangeError(`no word has the number ${id}`);
  return found;
}
