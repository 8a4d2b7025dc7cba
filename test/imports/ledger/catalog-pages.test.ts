import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { type Catalog, type ImportRecord, openCatalog } from '../../../src/imports/catalog.ts';
import { IMPORT_STATES } from '../../../src/membership/import-state.ts';
import { runs } from '../../runs.ts';
import { tempDir } from '../../temp-dir.ts';

/** A catalog with imports of these states and times of creation. */
function catalogOf(imports: readonly { readonly state: string; readonly at: number }[]): Catalog {
  const path = join(tempDir(), 'catalog.sqlite');
  const catalog = openCatalog(path);
  onTestFinished(() => catalog.close());
  const database = new DatabaseSync(path);
  const update = database.prepare('update imports set state = ?, created_at = ? where id = ?');
  for (const [index, { state, at }] of imports.entries()) {
    const id = `imp-${index}`;
    catalog.add({ id, file: 'members.csv', source: '/in/members.csv', options: '{}', retryOf: null });
    update.run(state, at, id);
  }
  database.close();
  return catalog;
}

function pagesOf(catalog: Catalog, filter: Parameters<Catalog['page']>[0]): ImportRecord[][] {
  const { imports, next } = catalog.page(filter);
  return [imports, ...(next === undefined ? [] : pagesOf(catalog, { ...filter, before: next }))];
}

test('the pages of the list are the list, also where imports began at the same time; or those in the states asked for', () => {
  const state = fc.constantFrom(...IMPORT_STATES);
  fc.assert(
    fc.property(
      fc.array(fc.record({ state, at: fc.constantFrom(1, 2, 1_700_000_000_000) }), { maxLength: 30 }),
      fc.option(fc.uniqueArray(state), { nil: undefined }),
      fc.integer({ min: 1, max: 7 }),
      (imports, states, limit) => {
        const catalog = catalogOf(imports);
        const pages = pagesOf(catalog, { limit, ...(states !== undefined && { state: states }) });
        const expected = catalog.list(100).filter((one) => states?.includes(one.state) ?? true);
        expect(pages.flat()).toEqual(expected);
        expect(pages.slice(0, -1).every((page) => page.length === limit)).toBe(true);
      },
    ),
    { numRuns: runs(100) },
  );
});

test('a page goes on where the one before ended, when imports have come and gone meanwhile', () => {
  const catalog = catalogOf([1, 2, 3, 4].map((at) => ({ state: 'completed', at })));
  const { imports, next } = catalog.page({ limit: 2 });
  expect(imports.map(({ id }) => id)).toEqual(['imp-3', 'imp-2']);
  catalog.remove('imp-2');
  catalog.add({ id: 'new', file: 'f.csv', source: '/f.csv', options: '{}', retryOf: null });
  expect(catalog.page({ limit: 2, before: next ?? '' })).toMatchObject({ imports: [{ id: 'imp-1' }, { id: 'imp-0' }] });
});

test.each(['', 'imp-1', '12', '.x', "1.' or 1=1", '9'.repeat(40)])(
  'a cursor that no page gave is refused: %j',
  (before) => {
    const catalog = catalogOf([{ state: 'running', at: 1 }]);
    const page = () => catalog.page({ limit: 1, before }).imports;
    if (before.startsWith('1.')) expect(page()).toEqual([]);
    else expect(page).toThrow(expect.objectContaining({ code: 'BAD_CURSOR' }));
  },
);

test('the changes of state of an import are listed in their order, all or since a time', () => {
  const catalog = catalogOf([]);
  catalog.add({ id: 'x', file: 'f.csv', source: '/f.csv', options: '{}', retryOf: null });
  catalog.add({ id: 'y', file: 'f.csv', source: '/f.csv', options: '{}', retryOf: null });
  catalog.move('x', 'staged');
  const { startedAt } = catalog.move('x', 'running', 'go');
  const moves = catalog.transitions('x');
  expect(moves.map(({ state, reason }) => [state, reason])).toEqual([
    ['staging', 'created'],
    ['staged', 'the whole input was read and checked'],
    ['running', 'go'],
  ]);
  const last = moves.at(-1);
  expect(last?.at).toBe(startedAt);
  // Several may be of one moment, so that the moment itself counts.
  expect(catalog.transitions('x', last?.at)).toContainEqual(last);
  expect(catalog.transitions('x', (last?.at ?? 0) + 1)).toEqual([]);
  expect(catalog.transitions('nobody')).toEqual([]);
});
