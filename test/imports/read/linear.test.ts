import { DatabaseSync } from 'node:sqlite';
import { Readable } from 'node:stream';
import { createContext, runInContext } from 'node:vm';
import { expect, test } from 'vitest';
import { columnFacts, EMAIL, isSecret, withoutSecrets } from '../../../src/features/inspect/column-facts.ts';
import { decode } from '../../../src/imports/read/decode.ts';
import { belowTop, detectDelimiter, detectFormat, refuseOtherText } from '../../../src/imports/read/detect.ts';
import { repeatedKey } from '../../../src/imports/read/json-text.ts';
import { isMoreThanColumn } from '../../../src/imports/read/shape/field-sources.ts';
import { numberedColumns, refusalOf } from '../../../src/imports/read/shape/groups.ts';
import { fill, parseTemplate } from '../../../src/imports/read/shape/template.ts';
import { formatKind, numberText, PLAIN, unescaped } from '../../../src/imports/read/workbook/cell-text.ts';
import { mergedAreas } from '../../../src/imports/read/workbook/xlsx.ts';
import { textSearch } from '../../../src/imports/report/row-search.ts';
import { headerFrom, secretFrom } from '../../../src/sources/named.ts';
import { hasPassword, isAddress } from '../../../src/text/address-text.ts';
import { namePattern, pathPattern, starPattern } from '../../../src/text/wildcard.ts';

/**
 * Matching a text of the user takes time in proportion to its length. Four times the length takes sixteen times the
 * processor time where it is quadratic, and never ends where it is exponential. Twice the proportion is allowed, and
 * what is too short to be measured; the processor time of the thread counts, of several attempts the least.
 */

const LENGTHS = [8_000, 32_000, 128_000];
const ATTEMPTS = 4;
/** Time for a garbage collection or a compilation, in ms. */
const SLACK_MS = 60;
const HANGS_MS = 30_000;

/** Ends what hangs: nothing else interrupts a regular expression. */
const context = createContext({ run: () => {} });
function untilItHangs(run: () => unknown): unknown {
  context['run'] = run;
  return runInContext('run()', context, { timeout: HANGS_MS });
}

async function leastMs(run: () => unknown): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const before = process.threadCpuUsage();
    await untilItHangs(run);
    const { user, system } = process.threadCpuUsage(before);
    least = Math.min(least, (user + system) / 1_000);
  }
  return least;
}

const found = new DatabaseSync(':memory:');
found.exec(`create table f (original text); create table r (id integer, original text, uid text, group_id integer);
  create table groups (id integer, guid text); create table invalid_rows (row_id integer, guid text)`);

/** Rows that `--text` finds, where there is one with this value. */
function searched(text: string, value: string) {
  found.exec('delete from r; delete from groups; delete from invalid_rows');
  const { sql, values } = textSearch(found, text);
  found.prepare('insert into r values (1, ?, ?, 1)').run(JSON.stringify([value]), value);
  found.prepare('insert into groups values (1, ?)').run(value);
  const select = found.prepare(`select r.id from r left join f on true where ${sql}`);
  return () => select.all(values);
}

const merged = (xml: string) => () => mergedAreas(Readable.from([Buffer.from(xml)]));
const detected = (head: string) => () => detectFormat(head, {});
const fitted = (fits: (text: string) => unknown, text: string) => () => fits(text);
const attempted = (run: () => unknown) => () => {
  try {
    run();
  } catch {
    // Refused: how soon is what counts.
  }
};
/** Decodes one block of UTF-8. */
const decoded = (block: Buffer) => async () => {
  const text = decode(Readable.from([block]), { name: 'utf-8', bomBytes: 0 });
  await text.next().catch(() => undefined);
};
const many = (piece: string, length: number) => piece.repeat(Math.ceil(length / piece.length));

/** Matchers, each with a match of a text of about this length: the worst that is known. */
const MATCHERS: readonly (readonly [what: string, of: (length: number) => () => unknown])[] = [
  ['a name with many stars', (n) => fitted(namePattern(`${'*?'.repeat(40)}z`), many('a', n))],
  ['a text with many stars', (n) => fitted(starPattern(`${'a*'.repeat(40)}b`), many('a', n))],
  ['a path with many folders', (n) => fitted(pathPattern(`${'**/a/'.repeat(20)}z`), many('a/', n))],

  ['zeros behind the point of a cell', (n) => () => numberText(`0.${many('0', n)}1`, PLAIN, false)],
  ['zeros before the point of a cell', (n) => () => numberText(`${many('0', n)}1.5`, PLAIN, false)],
  ['blanks around the number of a cell', (n) => () => numberText(`${many(' ', n)}1${many(' ', n)}`, PLAIN, false)],
  ['the format code of a cell', (n) => () => formatKind(many('[', n))],
  ['texts in a format code', (n) => () => formatKind(many('"\\', n))],
  ['escaped characters of a cell', (n) => () => unescaped(many('_x005F', n))],
  ['merged areas', (n) => merged(`</sheetData>${many('<mergeCell ', n)}`)],
  ['merged areas with half an address', (n) => merged(`</sheetData>${many('<mergeCell ref="A1:', n)}`)],

  ['bytes that are no UTF-8', (n) => decoded(Buffer.alloc(n, 0xff))],

  ['comments with the line ends of Windows', (n) => detected(`${many('#\r\n', n)}uid,guid\n`)],
  ['empty lines below a comment', (n) => detected(`#\n${many('\n', n)}uid,guid\n`)],
  ['blanks in the lines of comments', (n) => detected(`#\n${many(' \t\n', n)}uid,guid\n`)],
  ['versions of LDIF', (n) => detected(`${many('version: 1\n', n)}uid`)],
  ['blanks behind a version', (n) => detected(`version: 1${many(' ', n)}x`)],
  ['brackets of YAML', (n) => detected(many('[ ', n))],
  ['keys of YAML', (n) => detected(`${many('key: a\n', n)}uid,guid`)],
  ['anchors of YAML', (n) => detected(`- ${many('&a ', n)}`)],
  ['a long key', (n) => detected(many('a', n))],
  ['a long key with blanks', (n) => detected(`a:${many(' ', n)}x`)],
  ['braces', (n) => detected(many('{', n))],
  ['a call around JSON', (n) => attempted(() => refuseOtherText(many('a', n)))],
  ['the line above a header', (n) => () => belowTop(`${many(',', n)}x\nuid\n`, 0)],
  ['rows above a header', (n) => () => belowTop(many('a\n', n), 1_000)],
  ['a header', (n) => () => detectDelimiter(many('"a";', n), new Set())],
  ['a key that repeats itself', (n) => () => repeatedKey(`{"a":"${many('\\"', n)}"}`)],

  ['a domain with many dots', (n) => fitted((text) => EMAIL.test(text), `a@${many('a.', n)}@`)],
  ['a name before an @', (n) => fitted((text) => EMAIL.test(text), many('a', n))],
  ['values of a column', (n) => () => columnFacts('members', [many('a@b.c;', n)])],
  ['a key that may be secret', (n) => () => withoutSecrets([`"${many('pin ', n)}`], false, 0)],
  ['keys that are not secret', (n) => () => withoutSecrets([many('"a" ', n)], false, 0)],
  ['an example that may be secret', (n) => () => isSecret({ name: 'x', filled: 1, examples: [many('"pin" ', n)] })],

  ['numbered columns', (n) => () => numberedColumns('course#', [`course${many('1', n)}`, many('course1', n)])],
  ['a condition', (n) => () => refusalOf([{ slot: 0, condition: { column: 'a', is: ['b'] } }])([many(' ', n)])],
  ['a template', (n) => () => fill(parseTemplate('{a|trim|slug}-{a|digits}'), () => many('é- 1', n))],
  ['parts of an address in a template', (n) => () => fill(parseTemplate('{a|after:=|before:@}'), () => many('=@', n))],
  ['the text of a template', (n) => attempted(() => parseTemplate(many('{a', n)))],
  ['braces in a mapping', (n) => () => isMoreThanColumn(many('{a', n))],

  ['a search', (n) => searched(`${'a'.repeat(99)}b`, many('a', n))],
  ['a search in other letters', (n) => searched(`${'é'.repeat(99)}b`, many('é', n))],

  ['the scheme of an address', (n) => () => isAddress(many('a:', n))],
  ['the password of an address', (n) => () => hasPassword(`://${many(':', n)}`)],
  ['passwords of addresses', (n) => () => hasPassword(many('://a:', n))],
  ['a header of a source', (n) => attempted(() => headerFrom(`A=x${many(' ', n)}y`))],
  ['a secret of a source', (n) => attempted(() => secretFrom(`a=x${many(' ', n)}y`))],
];

test.each(MATCHERS)('the time for %s grows with its length, and no faster', async (_, of) => {
  let before = Number.POSITIVE_INFINITY;
  for (const length of LENGTHS) {
    const ms = await leastMs(of(length));
    expect(ms).toBeLessThan(8 * before + SLACK_MS);
    before = ms;
  }
});
