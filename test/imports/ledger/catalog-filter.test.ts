import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import type { ImportFilter } from '../../../src/api/imports.ts';
import { type Catalog, type ImportRecord, openCatalog } from '../../../src/imports/catalog.ts';
import { kindOf } from '../../../src/membership/import-kind.ts';
import { IMPORT_STATES } from '../../../src/membership/import-state.ts';
import { tempDir } from '../../temp-dir.ts';

const WORDS = ['choir', 'Chor', 'a%b', '50_', '"x"'];
const word = fc.constantFrom(...WORDS);
const state = fc.constantFrom(...IMPORT_STATES);
const kind = fc.constantFrom('file', 'retry', 'sync', 'undo');
const at = fc.constantFrom(1, 2, 3, 1_700_000_000_000);
const one = fc.record({
  state,
  at,
  kind,
  file: word,
  createdBy: fc.constantFrom('ann', 'Bob', ''),
  tags: fc.uniqueArray(word, { maxLength: 3 }),
  problems: fc.array(fc.constantFrom('ERR_A', 'NOT_SENT', ''), { maxLength: 2 }),
});
type Given = typeof one extends fc.Arbitrary<infer T> ? T : never;
const filter = fc.record(
  {
    state: fc.uniqueArray(state),
    kind: fc.uniqueArray(kind),
    search: fc.oneof(word, fc.constantFrom('CHO', '%', '_', 'imp-1', '[', 'created')),
    from: at,
    to: at,
    createdBy: fc.constantFrom('ANN', 'bob', 'bo'),
    tags: fc.uniqueArray(fc.constantFrom(...WORDS, 'CHOIR'), { minLength: 1, maxLength: 2 }),
    problems: fc.boolean(),
  },
  { requiredKeys: [] },
);

function catalogOf(imports: readonly Given[]): Catalog {
  const path = join(tempDir(), 'catalog.sqlite');
  const catalog = openCatalog(path);
  onTestFinished(() => catalog.close());
  const database = new DatabaseSync(path);
  const update = database.prepare('update imports set state = ?, created_at = ? where id = ?');
  for (const [index, given] of imports.entries()) {
    const { file, createdBy } = given;
    const id = idOf(given, index);
    const retryOf = given.kind === 'retry' ? id : null;
    catalog.add({ id, file, source: '/x', options: '{}', retryOf, createdBy, tags: JSON.stringify(given.tags) });
    catalog.setProblems(
      id,
      given.problems.map((code) => ({ code, rows: 2 })),
    );
    update.run(given.state, given.at, id);
  }
  database.close();
  return catalog;
}

function idOf({ kind }: Given, index: number): string {
  return kind === 'sync' || kind === 'undo' ? `${kind}-${index}` : `imp-${index}`;
}

/** The meaning of the filter in another language. */
function fits(record: ImportRecord, { problems: noted }: Given, filter: ImportFilter): boolean {
  const tags: string[] = JSON.parse(record.tags);
  const text = [record.file, record.id, record.reason, ...tags].join('\n').toLowerCase();
  const same = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();
  const stopped = ['blocked', 'failed', 'rejected', 'aborted'].includes(record.state);
  return (
    (filter.state?.includes(record.state) ?? true) &&
    (filter.kind?.includes(kindOf(record)) ?? true) &&
    text.includes(filter.search?.toLowerCase() ?? '') &&
    record.createdAt >= (filter.from ?? 0) &&
    record.createdAt < (filter.to ?? Number.POSITIVE_INFINITY) &&
    (filter.createdBy === undefined || same(filter.createdBy, record.createdBy)) &&
    (filter.tags ?? []).every((tag) => tags.some((own) => same(own, tag))) &&
    (filter.problems !== true || stopped || noted.length > 0)
  );
}

function pagesOf(catalog: Catalog, filter: Parameters<Catalog['page']>[0]): ImportRecord[] {
  const { imports, next } = catalog.page(filter);
  return [...imports, ...(next === undefined ? [] : pagesOf(catalog, { ...filter, before: next }))];
}

test('the pages of a filtered list hold each import that fits once, newest first, and no other', () => {
  fc.assert(
    fc.property(
      fc.array(one, { maxLength: 20 }),
      filter,
      fc.integer({ min: 1, max: 6 }),
      (imports, filter: ImportFilter, limit) => {
        const catalog = catalogOf(imports);
        const given = new Map(imports.map((each, index) => [idOf(each, index), each]));
        const expected = catalog.list(100).filter((record) => {
          const made = given.get(record.id);
          return made !== undefined && fits(record, made, filter);
        });
        expect(pagesOf(catalog, { ...filter, limit })).toEqual(expected);
      },
    ),
    { numRuns: 30 },
  );
});

test('imports that begin while someone pages through the list shift nothing: what was there comes once', () => {
  fc.assert(
    fc.property(fc.array(one, { minLength: 1, maxLength: 15 }), fc.integer({ min: 1, max: 4 }), (imports, limit) => {
      const catalog = catalogOf(imports);
      const before = catalog.list(100).map(({ id }) => id);
      const seen: string[] = [];
      for (let cursor: string | undefined, at = 0; ; at += 1) {
        const { imports: page, next } = catalog.page({ limit, ...(cursor !== undefined && { before: cursor }) });
        seen.push(...page.map(({ id }) => id));
        catalog.add({ id: `new-${at}`, file: 'f', source: '/f', options: '{}', retryOf: null });
        if (next === undefined) break;
        cursor = next;
      }
      expect(seen).toEqual(before);
    }),
    { numRuns: 10 },
  );
});

test('a code that came in several imports recurs; rows that were not sent and codes of one import do not', () => {
  const base = { state: 'completed', at: 2, kind: 'file', file: 'f', createdBy: '', tags: [] } as const;
  const catalog = catalogOf([
    { ...base, tags: [], problems: ['ERR_A', 'NOT_SENT'] },
    { ...base, tags: [], at: 3, problems: ['ERR_A', 'NOT_SENT', ''] },
    { ...base, tags: [], at: 1, problems: ['ERR_A'] },
  ]);
  expect(catalog.recurringProblems(2, 5)).toEqual([{ code: 'ERR_A', imports: 2, rows: 4, latest: 'imp-1' }]);
  expect(catalog.recurringProblems(3, 5)).toEqual([]);
});
