import type { InputRow } from '../../imports/read/input-row.ts';
import type { RepairProblem } from './api.ts';

/** Problems of a row that another row of the file makes: when that one is corrected, there is none. */
const CONTRADICTIONS = ['ADDED_AND_BANNED', 'SEVERAL_ACTIONS', 'DERIVED_ID_COLLISION'] as const;
export const CONTRADICTION_CODES = JSON.stringify(CONTRADICTIONS);

/** A row's value for something about which all rows must agree. */
interface Claim {
  readonly code: (typeof CONTRADICTIONS)[number];
  readonly field: 'uid' | 'guid' | 'scope' | 'action';
  readonly about: string;
  readonly says: string;
}

/** A row of the file, and what it asks for now. */
export interface Asking {
  readonly line: number;
  readonly memberships: readonly InputRow[];
}

/** Finds what each of these rows contradicts in the others. */
export function contradictionsIn(rows: Iterable<Asking>): (row: Asking) => RepairProblem[] {
  const said = new Map<string, Map<string, number>>();
  for (const row of rows) {
    for (const { about, says } of claimsOf(row)) {
      const lines = said.get(about) ?? new Map<string, number>();
      said.set(about, lines.has(says) ? lines : lines.set(says, row.line));
    }
  }
  return (row) =>
    claimsOf(row).flatMap(({ code, field, about, says }) => {
      const other = [...(said.get(about) ?? [])].find(([text]) => text !== says);
      return other === undefined ? [] : [{ column: field, code, reason: reasonFor(code, says, other) }];
    });
}

function claimsOf({ memberships }: Asking): Claim[] {
  return memberships
    .filter(({ problems, shaped }) => problems.length === 0 && shaped?.skipped !== true)
    .flatMap(({ region, guid, uid, scope, action = 'add', shaped }): Claim[] => {
      const group = `${region} ${guid.toLowerCase()}`;
      const member = `${group} ${uid.toLowerCase()}`;
      const sources = shaped?.sources;
      return [
        claim('SEVERAL_ACTIONS', 'action', `action ${member}`, action),
        ...(action === 'add' ? [claim('ADDED_AND_BANNED', 'scope', `ban ${member}`, String(scope === 'ban'))] : []),
        ...(sources?.uid === undefined
          ? []
          : [claim('DERIVED_ID_COLLISION', 'uid', `uid ${uid.toLowerCase()}`, sources.uid.toLowerCase())]),
        ...(sources?.guid === undefined
          ? []
          : [claim('DERIVED_ID_COLLISION', 'guid', `guid ${group}`, sources.guid.toLowerCase())]),
      ];
    });
}

function claim(code: Claim['code'], field: Claim['field'], about: string, says: string): Claim {
  return { code, field, about, says };
}

function reasonFor(code: Claim['code'], says: string, [other, line]: readonly [string, number]): string {
  if (code === 'ADDED_AND_BANNED') {
    return `the same UID is both added to this group and banned from it (row ${line} asks for the other): keep one of the two`;
  }
  if (code === 'SEVERAL_ACTIONS') {
    return `the same UID is in this group with another action (row ${line}): keep one of the rows`;
  }
  return `${JSON.stringify(says)} and ${JSON.stringify(other)} in row ${line} become the same id: nothing is sent, because they may be different`;
}
