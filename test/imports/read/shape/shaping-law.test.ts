import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { InputRow } from '../../../../src/imports/read/input-row.ts';
import type { Shape } from '../../../../src/options/shape.ts';
import { csvLine } from '../../../../src/text/csv-line.ts';
import { runs } from '../../../runs.ts';
import { read } from '../reading.ts';

/** The law: the memberships of a shaped file are those that a naive reading of the same table finds, row by row. */

interface Person {
  readonly login: string;
  readonly mail: string;
  readonly groups: readonly string[];
  readonly role: string;
  readonly status: string;
  readonly marks: readonly string[];
}

const GROUPS = ['g1', 'g2', 'team-a', 'x_y'] as const;
const ROLES: Readonly<Record<string, string>> = {
  OWNER: 'admin',
  lead: 'moderator',
  '': 'participant',
  Guest: '',
  x: 'participant',
};
const MARKS: Readonly<Record<string, string>> = {
  x: 'participant',
  '': '',
  '-': '',
  ADMIN: 'admin',
  yes: 'participant',
  '??': 'unknown',
};

const person: fc.Arbitrary<Person> = fc.record({
  login: fc.constantFrom('', 'anna', 'Ben', ' cleo '),
  mail: fc.constantFrom('', 'dan@x.it', 'Eve@y.it', 'not valid@x.it'),
  groups: fc.array(fc.constantFrom(...GROUPS, ''), { maxLength: 5 }),
  role: fc.constantFrom(...Object.keys(ROLES)),
  status: fc.constantFrom('active', 'Gone', 'pending', ''),
  marks: fc.tuple(...[1, 2].map(() => fc.constantFrom(...Object.keys(MARKS)))),
});

const table = fc.array(person, { minLength: 1, maxLength: 30 });
const pieces = fc.array(fc.integer({ min: 1, max: 80 }), { minLength: 1, maxLength: 3 });

const uidOf = ({ login, mail }: Person) => login.trim() || mail.trim();
const isKept = ({ status }: Person) => ['active', 'pending'].includes(status.toLowerCase());
const isId = (text: string) => /^[A-Za-z0-9_-]+$/.test(text);

/** Returns the request of a row, as a text to compare. */
const membership = (guid: string, uid: string, scope: string) =>
  isId(uid) && isId(guid) ? `${guid}/${uid}/${scope}` : 'invalid';

function described(rows: readonly InputRow[]): string[][] {
  return [...Map.groupBy(rows, ({ line }) => line).values()].map((same) =>
    same.map(({ problems, guid, uid, scope, shaped }) => {
      if (shaped?.skipped === true) return 'left out';
      return problems.length > 0 ? 'invalid' : `${guid}/${uid}/${scope}`;
    }),
  );
}

/** Parts count from 1 without a gap, and the first of each row alone has its text. */
function checkParts(rows: readonly InputRow[]): void {
  for (const same of Map.groupBy(rows, ({ line }) => line).values()) {
    expect(same.map(({ shaped }) => shaped?.part ?? 1)).toEqual(same.map((_, index) => index + 1));
    expect(same.filter(({ original }) => original !== '')).toEqual([same[0]]);
  }
}

async function isLaw(
  content: string,
  shape: Shape,
  people: readonly Person[],
  sizes: readonly number[],
  naive: (person: Person) => string[],
): Promise<void> {
  const { rows, intake } = await read(content, { shape, format: content.startsWith('[') ? 'json' : 'csv' }, sizes);
  expect(described(rows)).toEqual(
    people.map((one) => (isKept(one) ? (naive(one).length > 0 ? naive(one) : ['left out']) : ['left out'])),
  );
  checkParts(rows);
  expect(intake.rowsRead()).toBe(people.length);
}

const SHAPE: Shape = {
  firstOf: { uid: ['login', 'mail'] },
  where: [{ column: 'status', is: ['active', 'pending'] }],
  scopeWords: { owner: 'admin', LEAD: 'moderator', guest: 'none', '*': 'participant' },
};

function listed(one: Person): string[] {
  const scope = ROLES[one.role] ?? '';
  if (scope === '') return [];
  return one.groups.filter((group) => group !== '').map((group) => membership(group, uidOf(one), scope));
}

const csv = (header: readonly string[], people: readonly Person[], cells: (one: Person) => string[]) =>
  csvLine(header, ',') + people.map((one) => csvLine(cells(one), ',')).join('');

test('several groups in a cell, words, conditions and the first filled column, as CSV', async () => {
  await fc.assert(
    fc.asyncProperty(table, pieces, async (people, sizes) => {
      const content = csv(['login', 'mail', 'guid', 'role', 'status'], people, (one) => [
        one.login,
        one.mail,
        one.groups.join(';'),
        one.role,
        // A row of empty cells is a blank line.
        one.status === '' ? 'none' : one.status,
      ]);
      await isLaw(content, { ...SHAPE, split: { guid: ';' } }, people, sizes, listed);
    }),
    { numRuns: runs(150) },
  );
});

test('the same as JSON, with a list', async () => {
  await fc.assert(
    fc.asyncProperty(table, pieces, async (people, sizes) => {
      const elements = people.map(({ groups, ...one }) => ({ ...one, guid: groups.filter((group) => group !== '') }));
      await isLaw(
        JSON.stringify(elements),
        { ...SHAPE, firstOf: { ...SHAPE.firstOf, guid: ['guid'] } },
        people,
        sizes,
        listed,
      );
    }),
    { numRuns: runs(100) },
  );
});

test('a column for each group', async () => {
  await fc.assert(
    fc.asyncProperty(table, pieces, async (people, sizes) => {
      const content = csv(['login', 'mail', 'Team 1', 'Team 2', 'status'], people, (one) => [
        one.login,
        one.mail,
        ...one.marks,
        one.status === '' ? 'none' : one.status,
      ]);
      const { scopeWords: _, ...rest } = SHAPE;
      const shape: Shape = { ...rest, wide: { columns: ['Team *'], guid: '{column|slug}' } };
      await isLaw(content, shape, people, sizes, (one) =>
        one.marks.flatMap((mark, index) => {
          const scope = MARKS[mark] ?? '';
          if (scope === '') return [];
          return [scope === 'unknown' ? 'invalid' : membership(`team-${index + 1}`, uidOf(one), scope)];
        }),
      );
    }),
    { numRuns: runs(100) },
  );
});
