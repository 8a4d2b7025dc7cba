import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openColumns } from '../../../src/imports/read/columns.ts';
import { type Element, elementReader, isText } from '../../../src/imports/read/element.ts';
import { ofExport } from '../../../src/imports/read/exports.ts';
import { boundsWith } from '../../../src/imports/read/intake-error.ts';
import { membershipReader } from '../../../src/imports/read/membership-row.ts';
import { EXPORTS, type ExportName } from '../../../src/options/input-kinds.ts';
import { runs } from '../../runs.ts';
import { read } from './reading.ts';

const originals = (name: ExportName, element: Element) => {
  const columns = openColumns({}, { lenient: true });
  const reader = membershipReader(columns, { region: 'us' });
  const options = {
    columns,
    reader,
    hasDefaultGuid: false,
    bounds: boundsWith({ memberships: 100 }),
    onRepeat: () => {},
  };
  const rows = ofExport(name, elementReader(options));
  return [...rows.rows(element, 'element 1', JSON.stringify(element), Object.keys(element).length)].map(
    ({ original }) => JSON.parse(original) as Record<string, unknown>,
  );
};

const keys = [
  'members',
  'teams',
  'channels',
  'orgs',
  'user',
  'item',
  'type',
  'id',
  'name',
  'value',
  'maintainers',
  'uid',
];
/** JSON with the keys of the exports in all the wrong places. */
const anything = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(null, true, 7, '', 'x', 'user', 'member', 'Group'),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...keys), tie('value'), { maxKeys: 4 }),
  ),
})).value;

test.each(EXPORTS)(
  '%s: an element of any form gives rows of texts and of what is no id, or none, and never an error',
  (name) => {
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...keys), anything), (element) => {
        for (const row of originals(name, element)) {
          expect(Object.values(row).every((cell) => typeof cell === 'string' || !isText(cell))).toBe(true);
        }
      }),
      { numRuns: runs(200) },
    );
  },
);

test('ids that are numbers stay as they are written', () => {
  expect(originals('slack', { id: 7, name: 'x', members: [1, '2'] })).toEqual([
    { channel_id: '7', channel_name: 'x', is_archived: 'false', user_id: '1', user_deleted: 'false' },
    { channel_id: '7', channel_name: 'x', is_archived: 'false', user_id: '2', user_deleted: 'false' },
  ]);
});

test('teams without an organisation around them are read as well, and teams in teams', () => {
  const document = { name: 'Acme', teams: { core: { members: ['ann'], teams: { docs: { maintainers: ['bo'] } } } } };
  expect(originals('teams', document)).toEqual([
    { org: 'Acme', team: 'core', user: 'ann', role: 'member' },
    { org: 'Acme', team: 'docs', user: 'bo', role: 'maintainer' },
  ]);
});

test('exports with a time of joining give it to the column joined_at', () => {
  const stream = { channel_type: 'messaging', channel_id: 'c', user_id: 'ann', created_at: '2024-05-01T12:00:00Z' };
  const sendbird = { channel_url: 'c', members: [{ user_id: 'ann', joined_ts: 1_714_564_800 }, { user_id: 'ben' }] };
  expect(originals('stream', { type: 'member', item: stream })).toMatchObject([{ joined_at: stream.created_at }]);
  expect(originals('sendbird', sendbird).map(({ joined_at }) => joined_at)).toEqual(['1714564800', undefined]);
});

test.each([
  [
    'cometchat',
    { members: { a: { guid: 'g', uid: 'ann', scope: true, joinedAt: 1_714_564_800.5 } } },
    'scope',
    'joinedAt',
  ],
  [
    'stream',
    { type: 'member', item: { channel_id: 'g', user_id: 'ann', channel_role: { id: 7 }, created_at: { at: 1 } } },
    'channel_role',
    'joined_at',
  ],
] as const)(
  '%s: a role and a time that cannot be read are told what is allowed',
  async (exportOf, element, scope, joinedAt) => {
    const map = exportOf === 'stream' ? { guid: 'channel_id', scope } : {};
    const { rows } = await read(JSON.stringify(element), { exportOf, map, silent: true });
    expect(rows[0]?.problems).toEqual([
      expect.objectContaining({
        column: scope,
        code: 'UNKNOWN_SCOPE',
        reason: expect.stringContaining('allowed are admin'),
      }),
      expect.objectContaining({
        column: joinedAt,
        code: 'BAD_TIME',
        reason: expect.stringContaining('allowed are 2024-05-01'),
      }),
    ]);
  },
);
