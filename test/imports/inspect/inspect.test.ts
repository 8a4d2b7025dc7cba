import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import type { FileFacts } from '../../../src/api/look.ts';
import { asFlag } from '../../../src/errors/named-options.ts';
import { columnFacts } from '../../../src/features/inspect/column-facts.ts';
import { inspect } from '../../../src/features/inspect/inspect.ts';
import { importOptions } from '../../../src/imports/import-options.ts';
import { headOf } from '../../../src/imports/read/beginning.ts';

const factsOf = async (content: string | Buffer, chosen: object = {}): Promise<FileFacts> => {
  const bytes = Buffer.from(content);
  return inspect({
    name: 'f.csv',
    bytes: bytes.length,
    head: await headOf(bytes, undefined),
    open: () => ({ stream: Readable.from([bytes]), name: 'f.csv' }),
    options: importOptions.parse({ region: 'us', ...chosen }),
    recipes: [],
    write: asFlag,
  });
};

test.each<[look: string, name: string, values: readonly string[]]>([
  ['email', 'Contact', ['ana@x.example', 'bo.li@x.example', '']],
  ['id', 'Login', ['ana', 'bo-2', 'cy_3']],
  ['id', 'No', ['00123', '00124', '00125']],
  ['name', 'Name', ['Ana Diaz', 'Bo Li', 'Cy O’Fu']],
  ['name', 'First name', ['Ana', 'Bo', 'Cy']],
  ['scope', 'role', ['OWNER', 'MEMBER', 'MEMBER']],
  ['scope', 'Access role', ['Chef', 'Helfer', 'Helfer']],
  ['status', 'state', ['active', 'deleted', 'active']],
  ['date', 'Joined', ['2024-01-02', '2024-02-03T10:00:00Z', '3.4.2024']],
  ['mark', 'Choir', ['x', '', '']],
  ['mark', 'Choir', ['yes', 'no', 'yes']],
  ['mark', 'Choir', ['x', 'admin', '?']],
  ['list', 'Groups', ['a;b', 'b', 'a;c']],
  ['empty', 'Notes', ['', ' ', '']],
  ['text', 'Notes', ['1st: see page 7 (!)', '2nd: none at all?', '-']],
])('a column looks like %s: %s', (look, name, values) => {
  expect(columnFacts(name, values).looksLike).toBe(look);
});

test('a column that says that an account is blocked leaves rows out', async () => {
  const { command } = await factsOf('uid,guid,gesperrt\na,g,ja\nb,g,nein\n');
  expect(command).toContain('gesperrt!=ja|true|1');
});

test.each([
  [{ owner: 'moderator' }, 'Kind=<scope>,owner=moderator'],
  [{ OWNER: 'moderator', kind: 'none' }, 'OWNER=moderator,kind=none'],
  [{ owner: 'moderator', '*': 'participant' }, 'owner=moderator,*=participant'],
])('words for scopes whose meanings are given keep them: %j', async (scopeWords, written) => {
  const { command } = await factsOf('uid,guid,role\na,g,Owner\nb,g,Kind\n', { shape: { scopeWords } });
  const [, words = ''] = /--scope-words '?([^ ']+)/.exec(command ?? '') ?? [];
  expect(words.split(',').sort()).toEqual(written.split(',').sort());
});

test('examples are the first different values, cut where they are long', () => {
  const { examples, filled, different } = columnFacts('x', ['a b', 'a b', 'c d', '', 'e f', 'g h', 'y'.repeat(500)]);
  expect({ examples, filled, different }).toEqual({ examples: ['a b', 'c d', 'e f'], filled: 6, different: 5 });
  expect(columnFacts('x', ['y'.repeat(500)]).examples[0]).toHaveLength(60);
});

test.each<[what: string, content: string, command: string | null, advice: string]>([
  [
    'users by e-mail',
    'E-mail,group\nana@x.example,g1\nbo@x.example,g1\n',
    'rollcall import f.csv --map uid=E-mail --identities <people.csv>',
    `Column "E-mail" looks like e-mail addresses; UIDs may not contain @: use --identities FILE, a file that has the UID for each address, or --uid "{E-mail|slug}".`,
  ],
  [
    'a few values among the UIDs that are none',
    'uid,group\nana,g1\nbo,g1\ncy@x.example,g1\n',
    'rollcall import f.csv',
    'Column "uid" has UIDs and other values, such as "cy@x.example": correct these rows, or use --identities FILE, a file that has the UID for each, or --uid "{uid|slug}".',
  ],
  [
    'several groups in a cell',
    'Staff No;Rooms\n1;a,b\n2;a\n3;b,c\n',
    "rollcall import f.csv --map 'uid=Staff No,guid=Rooms' --split guid=,",
    'Column "Rooms" has several groups in a cell: --split guid=,.',
  ],
  [
    'names of groups',
    'user,Team\nana,Team Red\nbo,Team Blue\n',
    "rollcall import f.csv --map 'guid={Team|slug}'",
    `Column "Team" has values that are no GUIDs, such as "Team Red": the template '{Team|slug}' makes some of them.`,
  ],
  [
    'foreign words for scopes',
    'user,group,role\nana,g,OWNER\nbo,g,MEMBER\n',
    'rollcall import f.csv --scope-words OWNER=admin,MEMBER=participant',
    'Column "role" has other words for scopes: "OWNER" (1 row) admin, "MEMBER" (1) participant: say with --scope-words which scope each means.',
  ],
  [
    'foreign words in a column that is not read as the scope',
    'user,group,Rolle\nana,g,Leiter\nbo,g,Kind\n',
    "rollcall import f.csv --map scope=Rolle --scope-words 'Leiter=moderator,Kind=<scope>'",
    'Column "Rolle" has other words for scopes: "Leiter" (1 row) moderator, "Kind" (1) not known: say with --map scope=Rolle and --scope-words which scope each means.',
  ],
  [
    'a column called role that is no scope',
    'user,group,role\nana,g,Head of cats (7)\nbo,g,Fisher! of men?\ncy,g,3rd cook & more\n',
    'rollcall import f.csv --map scope=',
    'Column "role" is not a scope: --map scope= ignores it.',
  ],
  [
    'marks',
    'user,Choir,Band\nana,x,\nbo,,x\n',
    'rollcall import f.csv --wide Choir,Band',
    'Columns "Choir", "Band" have marks in them: --wide Choir,Band reads each as a group, * means any text.',
  ],
  [
    'no header',
    'ana-1,g1\nbo-2,g1\ncy-3,g2\n',
    'rollcall import f.csv --columns uid,guid',
    'The first line looks like a row, not like a header: --columns uid,guid names the columns; - is one that is not needed.',
  ],
  [
    'no group',
    'login,Name\nana,Ana Diaz\nbo,Bo Li\n',
    'rollcall import f.csv --map uid=login --guid <group>',
    'No column looks like groups: --guid GROUP puts all rows into one.',
  ],
  [
    'states, though every row could be sent',
    'user,group,state\nana,g,active\nbo,g,deleted\n',
    'rollcall import f.csv --where state=active',
    'Column "state" has "active" (1 row), "deleted" (1): --where keeps "active" only.',
  ],
])('what to say about %s', async (_, content, command, advice) => {
  const facts = await factsOf(content);
  expect(facts.command).toBe(command);
  expect(facts.steps.map(({ text }) => text)).toContain(advice);
});

/** Twelve users, and a column whose values look like ids of groups. */
const withColumn = (header: string, value: (at: number) => string) =>
  `Kennung;${header}\n${Array.from({ length: 12 }, (_, at) => `user-${at};${value(at)}`).join('\n')}\n`;
const groupOf = async (content: string) => {
  const { steps } = await factsOf(content);
  return steps.find(({ settings }) => settings?.map?.guid !== undefined)?.settings?.map?.guid;
};

test.each(['Raumkennung', 'Gruppen-ID', 'Kursnummer', 'Teamname', 'groupname', 'Klassenkürzel', 'Räume', 'Chatgruppe'])(
  'a column is suggested as the group by its name and its values together: %s',
  async (header) => {
    expect(await groupOf(withColumn(header, (at) => `room-${at}`))).toBe(header);
    expect(await groupOf(withColumn(header, () => ''))).toBeUndefined();
  },
);

test.each(['Gruppenleiter', 'Klassenlehrer', 'Roommate', 'Raumgröße', 'Raumöffnung', 'Teamgröße', 'Classification'])(
  'a column that only begins like a group is none: %s',
  async (header) => {
    const facts = await factsOf(withColumn(header, (at) => `room-${at}`));
    expect(facts.steps).toMatchObject([{ settings: { map: { uid: 'Kennung' } } }, { needs: 'guid' }]);
    expect(await groupOf(withColumn(header, (at) => `room-${at}`))).toBeUndefined();
  },
);

test('of the id and the name of a group, the id is suggested, also where both could be', async () => {
  expect(await groupOf(withColumn('Raumname;Raumkennung', (at) => `hall-${at};room-${at}`))).toBe('Raumkennung');
});

test('a command that was refused is not proposed again', async () => {
  const page = '{"value":[{"uid":"anna","guid":"g"}],"@odata.nextLink":"https://x.example/2"}';
  expect(await factsOf(page)).toMatchObject({ steps: [], command: null, refusal: { code: 'MORE_PAGES' } });
  const half = await factsOf('uid,guid\nanna,g\n"bob,g\n');
  expect(half).toMatchObject({ command: null, refusal: { code: 'UNCLOSED_QUOTE' } });
});

test('what was chosen is not asked for again', async () => {
  const facts = await factsOf('login,Name\nana,Ana Diaz\n', { guid: 'g1', map: { uid: 'login' } });
  expect(facts).toMatchObject({ missing: [], refusal: null, steps: [], rows: { seen: 1, valid: 1 } });
  expect(facts.command).toBe('rollcall import f.csv --map uid=login --guid g1');
});

test.each<[what: string, content: string | Buffer, code: string]>([
  ['nothing', '', 'EMPTY'],
  ['random bytes', Buffer.from('8f00ff13c79a9a9a9a', 'hex'), 'BINARY'],
  ['a PDF document', '%PDF-1.7\n1 0 obj\n', 'BINARY'],
  ['a page saved as CSV', '<!DOCTYPE html>\n<html></html>\n', 'OTHER_FORMAT'],
  ['half a document', '{"a":[1,2', 'JSON_BROKEN'],
])('%s is not understood, without a command that could not work', async (_, content, code) => {
  const facts = await factsOf(content);
  expect(facts).toMatchObject({ format: null, command: null, columns: [], refusal: { code } });
});

test('the beginning of the text is shown, and none of what is not text', async () => {
  expect((await factsOf('a,b\n1,2\n3,4\n5,6\n7,8\n9,0\n')).firstLines).toEqual(['a,b', '1,2', '3,4', '5,6', '7,8']);
  expect((await factsOf('%PDF-1.7\n1 0 obj\n')).firstLines).toEqual([]);
});
