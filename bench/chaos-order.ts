import { REGIONS, type Region, type Scope } from '../src/membership/membership.ts';
import { seededRandom } from '../src/sandbox/injected-faults.ts';

/** A membership file in no order, and its expected outcomes: worked out without rollcall's code. */
export interface ChaosOrder {
  readonly csv: string;
  /** The fate of every row, in the order of the file. */
  readonly fates: readonly Fate[];
  /** `region/guid` → UID → scope. */
  readonly members: ReadonlyMap<string, ReadonlyMap<string, Scope>>;
}

export type Fate = 'in place' | 'invalid' | 'duplicate';

/** Rows to a group and region on average: few, so that there are many calls. */
const ROWS_PER_GROUP = 5;

/** Every seventh row comes a second time with a lower scope, and every fiftieth is wrong. */
export function makeChaosOrder(rows: number, seed: number): ChaosOrder {
  const random = seededRandom(seed);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const lines: { line: string; fate: Fate; place: number }[] = [];
  const members = new Map<string, Map<string, Scope>>();
  const add = (line: string, fate: Fate) => lines.push({ line, fate, place: random() });
  for (let at = 0; lines.length < rows; at += 1) {
    const region: Region = pick(REGIONS);
    const guid = `g${Math.floor((random() * rows) / ROWS_PER_GROUP / REGIONS.length)}`;
    const uid = `u${at}`;
    if (at % 50 === 0) {
      add(`${region},${guid},not an id ${at},participant`, 'invalid');
      continue;
    }
    const twice = at % 7 === 0;
    const scope = twice ? pick(['admin', 'moderator'] as const) : pick(['participant', 'ban'] as const);
    add(`${region},${guid},${uid},${scope}`, 'in place');
    if (twice) add(`${region},${guid},${uid.toUpperCase()},participant`, 'duplicate');
    const key = `${region}/${guid}`;
    members.set(key, (members.get(key) ?? new Map<string, Scope>()).set(uid, scope));
  }
  lines.sort((a, b) => a.place - b.place);
  return {
    csv: `region,guid,uid,scope\n${lines.map(({ line }) => line).join('\n')}\n`,
    fates: lines.map(({ fate }) => fate),
    members,
  };
}
