import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readStatements } from '../../src/ledger/database.ts';
import { PLAN_MIGRATIONS } from '../../src/sync/plan-ledger.ts';

const SYNC = new URL('../../src/sync/', import.meta.url);

/** Each file of statements, and the files that use it. */
const USERS = [
  ['plan-ledger.sql', ['plan-ledger.ts']],
  ['plan-pages.sql', ['plan-pages.ts']],
  ['plan-reading.sql', ['plan-reading.ts']],
  ['plan.sql', ['plan.ts']],
  ['moved.sql', ['moved.ts']],
] as const;

/** A statement is asked for by its name in quotes, alone or in a list of names. */
const namesIn = (files: readonly string[]) =>
  new Set(
    files.flatMap((file) =>
      [...readFileSync(new URL(file, SYNC), 'utf8').matchAll(/'([a-z_]+)'/g)].map(([, name]) => name),
    ),
  );
const askedFor = (file: string) =>
  [...readFileSync(new URL(file, SYNC), 'utf8').matchAll(/\bsql\('(\w+)'\)|\.get\('(\w+)'\)/g)].map(
    ([, a, b]) => a ?? b ?? '',
  );

test('these are all files of statements', () => {
  expect(readdirSync(SYNC).filter((name) => name.endsWith('.sql'))).toEqual(USERS.map(([file]) => file).toSorted());
});

test.each(USERS)(
  'every statement of %s is used, has a name of its own, and is there when it is asked for',
  (file, users) => {
    const names = [...readFileSync(new URL(file, SYNC), 'utf8').matchAll(/^-- name: (.*)$/gm)].map(
      ([, name]) => name ?? '',
    );
    expect(names).toEqual([...readStatements(new URL(file, SYNC)).keys()]);
    const mentioned = namesIn(users);
    expect(names.filter((name) => !mentioned.has(name))).toEqual([]);
    expect(users.flatMap(askedFor).filter((name) => !names.includes(name))).toEqual([]);
  },
);

test('migrations are numbered from 1 without a gap', () => {
  const numbers = readdirSync(PLAN_MIGRATIONS).map((name) => /^(\d{3})_[a-z_]+\.sql$/.exec(name)?.[1]);
  expect(numbers.toSorted()).toEqual(numbers.map((_, index) => String(index + 1).padStart(3, '0')));
});
