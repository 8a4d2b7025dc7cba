import fc from 'fast-check';
import { expect, test } from 'vitest';
import { regionId, requestId } from '../../../src/imports/record/enum-ids.ts';
import { packRows, unpackRows } from '../../../src/imports/stage/row-writer.ts';
import { ACTIONS, REGIONS, SCOPES } from '../../../src/membership/membership.ts';
import { ANY_CHARACTER } from '../../any-character.ts';
import { EMPTY_UID, rowAt } from './staged-import.ts';

const row = fc.record({
  region: fc.constantFrom(...REGIONS),
  guid: fc.stringMatching(/^[A-Za-z0-9_-]{0,20}$/),
  uid: fc.stringMatching(/^[A-Za-z0-9_-]{0,20}$/),
  scope: fc.constantFrom(...SCOPES),
  action: fc.constantFrom(...ACTIONS),
  onBehalfOf: fc.stringMatching(/^[a-z]{0,5}$/),
  problems: fc.constantFrom([], [], [], [EMPTY_UID], [EMPTY_UID, { ...EMPTY_UID, code: 'UNKNOWN_REGION' }]),
});

test('rows come out of the one text as they went in; of an invalid row what could be read of it', () => {
  fc.assert(
    fc.property(fc.array(row), fc.array(fc.string({ unit: ANY_CHARACTER })), (wantedRows, notes) => {
      const rows = wantedRows.map((wanted, index) => ({
        ...rowAt(index, wanted),
        original: JSON.stringify([notes[index] ?? '']),
      }));
      const packed = packRows(rows);
      expect(unpackRows(packed)).toEqual(
        rows.flatMap(({ line, region, guid, uid, scope, action, onBehalfOf, original, problems }) => {
          if (problems.length === 0) {
            return [line, regionId(region), guid, uid, requestId(scope, action), onBehalfOf, original];
          }
          return [line, problems.length > 1 ? 0 : regionId(region), guid, uid, 0, scope, original];
        }),
      );
      expect(packed.problems.map(({ row: at }) => at)).toEqual(
        rows.flatMap(({ problems }, index) => problems.map(() => index)),
      );
    }),
  );
});

test('a text that would move all others to wrong places is refused', () => {
  expect(() => unpackRows(packRows([rowAt(0, { guid: 'a\0b' })]))).toThrow('1 rows have come with 5 texts');
});
