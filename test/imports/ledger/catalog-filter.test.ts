import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import type { ImportFilter } from '../../../src/api/imports.ts';
import { type Catalog, type ImportRecord, openCatalog } from '../../../src/imports/catalog.ts';
import { kindOf } from '../../../src/membership/import-kind.ts';
import { IMPORT_STATES, type ImportState, isFinal } from '../../../src/membership/import-state.ts';
import { runs } from '../../runs.ts';
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
  // Of a retry: which of the imports before it, and how many of its rows it has read.
  of: fc.nat(),
  read: fc.integer({ min: 0, max: 4 }),
});
const ROWS_OF_A_PROBLEM = 2;
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
  const update = database.prepare(
    `update imports set state = ?, created_at = ?, finished_at = ?,
            totals = json_object('rows', json_object('read', ?)) where id = ?`,
  );
  for (const [index, given] of imports.entries()) {
    const { file, createdBy } = given;
    const id = idOf(given, index);
    const retryOf = originOf(imports, index);
    catalog.add({ id, file, source: '/x', options: '{}', retryOf, createdBy, tags: JSON.stringify(given.tags) });
    catalog.setProblems(
      id,
      given.problems.map((code) => ({ code, rows: ROWS_OF_A_PROBLEM })),
    );
    update.run(given.state, given.at, isFinal(given.state) ? given.at : null, given.read, id);
  }
  database.close();
  return catalog;
}

function idOf({ kind }: Given, index: number): string {
  return kind === 'sync' || kind === 'undo' ? `${kind}-${index}` : `imp-${index}`;
}

/** The id of the import that the one at `index` retries; null where it is no retry, or no import is before it. */
function originOf(imports: readonly Given[], index: number): string | null {
  const { kind, of } = imports[index] as Given;
  const at = kind === 'retry' && index > 0 ? of % index : undefined;
  return at === undefined ? null : idOf(imports[at] as Given, at);
}

/** Whether rows of an import need a person: more than its retries have sent. One that runs may still send all of them. */
function needsPerson(imports: readonly Given[], index: number): boolean {
  const given = imports[index] as Given;
  const retries = imports.filter((_, other) => originOf(imports, other) === idOf(given, index));
  const sent = retries.reduce((rows, { read }) => rows + read, 0);
  return retries.every(({ state }) => isFinal(state)) && given.problems.length * ROWS_OF_A_PROBLEM > sent;
}

/** The meaning of the filter in another language. */
function fits(record: ImportRecord, needsPerson: boolean, filter: ImportFilter): boolean {
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
    (filter.problems !== true || stopped || needsPerson)
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
        const needed = new Set(
          imports.flatMap((each, index) => (needsPerson(imports, index) ? [idOf(each, index)] : [])),
        );
        const expected = catalog.list(100).filter((record) => fits(record, needed.has(record.id), filter));
        expect(pagesOf(catalog, { ...filter, limit })).toEqual(expected);
      },
    ),
    { numRuns: runs(150) },
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
    { numRuns: runs(100) },
  );
});

test('an import needs a person until its retries have sent as many of its rows as needed one', () => {
  const base = { at: 1, kind: 'file', file: 'f', createdBy: '', problems: [], of: 0, read: 0 } as const;
  const needing = (...retries: { state: ImportState; read: number }[]) => {
    const catalog = catalogOf([
      { ...base, state: 'completed', tags: [], problems: ['ERR_A', 'NOT_SENT'] },
      ...retries.map((retry) => ({ ...base, ...retry, kind: 'retry' as const, tags: [], problems: [] })),
    ]);
    const listed = pagesOf(catalog, { problems: true, limit: 5 }).map(({ id }) => id);
    expect(catalog.attention(5).map(({ id }) => id)).toEqual(listed);
    return listed;
  };
  expect(needing()).toEqual(['imp-0']);
  expect(needing({ state: 'completed', read: 3 })).toEqual(['imp-0']);
  expect(needing({ state: 'completed', read: 2 }, { state: 'completed', read: 2 })).toEqual([]);
  expect(needing({ state: 'running', read: 1 })).toEqual([]);
});
