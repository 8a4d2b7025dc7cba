import { gzipSync, zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import type { IntakeOptions } from '../../../src/imports/read/intake-options.ts';
import { archive, xlsx } from './make-workbook.ts';

/** Files with the structure of each format, half of them damaged in some places: a reader takes them or refuses them. */

type Texts = fc.Arbitrary<string>;

/** One of these, which are separated by two spaces or line ends. */
const any = (list: string): Texts => fc.constantFrom(...list.trim().split(/ {2,}|\n\s*/));
const many = (one: Texts, between: string, most = 4): Texts =>
  fc.array(one, { maxLength: most }).map((all) => all.join(between));
/** Texts one after the other. */
const joined = (...parts: readonly (string | Texts)[]): Texts =>
  fc.tuple(...parts.map((part) => (typeof part === 'string' ? fc.constant(part) : part))).map((all) => all.join(''));
const where = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

/** Half of them with pieces lost, repeated, or with a piece of the format in a wrong place. */
function damaged(whole: Texts, pieces: string): Texts {
  const change = fc.tuple(
    where,
    fc.nat(30),
    fc.nat(2),
    fc.oneof(any(pieces), fc.constantFrom('\n', '\0', '\ufeff', '\r')),
  );
  const changed = fc.tuple(whole, fc.array(change, { maxLength: 3 })).map(([start, changes]) =>
    changes.reduce((now, [place, length, how, piece]) => {
      const at = Math.floor(place * now.length);
      const from = [at + length, at, Math.max(0, at - length)][how];
      return now.slice(0, at) + (how === 1 ? piece : '') + now.slice(from);
    }, start),
  );
  return fc.oneof(whole, changed);
}

/** Half of them with other bytes, or cut off. */
function damagedBytes(whole: fc.Arbitrary<Buffer>): fc.Arbitrary<Buffer> {
  const changed = fc
    .tuple(whole, fc.array(fc.tuple(where, fc.nat(255)), { maxLength: 4 }), fc.option(where, { freq: 4 }))
    .map(([bytes, changes, end]) => {
      const now = Buffer.from(bytes);
      for (const [place, byte] of changes) now[Math.floor(place * now.length)] = byte;
      return end === null ? now : now.subarray(0, Math.floor(end * now.length));
    });
  return fc.oneof(whole, changed);
}

const text = fc.constantFrom('uid', 'u1', 'g1', 'admin', '', ' ', 'é👍', '007', '-0', 'no', '__proto__', '\ud800');
const csv = damaged(
  joined('uid,guid,scope\n', many(many(text, ','), '\n')),
  '"  ""  ,  ;  |  sep=;  "x"y  version:v1.0',
);

const KEYS = any(
  'uid  guid  scope  admins  members  users  name  id  groups  teams  channels  Resources  type  __proto__',
);
const value = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    text,
    fc.constantFrom(7, -0, 1.5, 1e300, null, true),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(KEYS, tie('value'), { maxKeys: 5 }),
  ),
})).value;
const row = fc.record({ uid: value, guid: value, groups: value }, { requiredKeys: ['uid', 'guid'] });
const JSON_PIECES = '{  }  [  ]  ,  :  "  \\u  \\  null  1  [[[[  {"uid":';
const json = damaged(
  fc.oneof(fc.array(row, { maxLength: 5 }), value).map((one) => JSON.stringify(one) ?? ''),
  JSON_PIECES,
);
const ndjson = damaged(
  many(
    fc.oneof(row, row, value).map((one) => JSON.stringify(one)),
    '\n',
  ),
  JSON_PIECES,
);

const YAML_GOOD = `u1  g1  007  ~  2001-12-14  .nan  0x1F  "q"  'q'  1_000  []  {}  {uid: u1, guid: g1}  !!str 1`;
const YAML_ODD = `*a  *b  &a x  !!set {x}  !!binary aGk=  !!omap [x: 1]  !!timestamp 2001-12-14  !foo bar  <<  ? x  !!str  !!map {a: b}
  !!float 1  !!bool x`;
const anchor = fc.constantFrom('', '', '&a ', '&b ');
const yamlNode = fc.letrec<{ node: string }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 4 },
    { weight: 4, arbitrary: any(YAML_GOOD) },
    { weight: 1, arbitrary: any(YAML_ODD) },
    joined(anchor, '[', many(tie('node'), ', '), ']'),
    joined(
      anchor,
      '{',
      many(joined(any('uid  guid  <<  x  ? [a]  1  null  *a   __proto__'), ': ', tie('node')), ', '),
      '}',
    ),
  ),
})).node;
const yamlRow = joined('{uid: ', yamlNode, ', guid: ', yamlNode, '}');
const yaml = damaged(
  fc.oneof(
    many(joined('- ', yamlRow), '\n'),
    many(joined('- ', fc.oneof(yamlRow, yamlNode)), '\n'),
    many(joined(any('uid  guid  teams  members  <<  ? x'), ': ', yamlNode), '\n'),
    yamlNode,
  ),
  '---\n  ...\n  %YAML 1.1\n  %TAG ! x\n  -   :   \t  |  >-  &a  *a  <<: *a  !!  "  \'  [  }  #  @  `',
);

const LDIF_LINES = `member: uid=u1,dc=x  member: uid=u2,dc=x  member:: dWlkPXUx  uniqueMember: cn=x+uid=y  memberUid: u1  member: uid=\\C3\\A9
  cn: g1  objectClass: group  member:  changetype: add  # note  member: uid=\\  member:: ///=`;
const LDIF_NAMES = 'dn: cn=g1,dc=x  dn:: Y249Zw==  dn: cn=a\\,b,dc=x  dn: cn=\\C3\\A9';
const ldif = damaged(
  joined('dn: cn=g\nmember: uid=u\n\n', many(joined(any(LDIF_NAMES), '\n', many(any(LDIF_LINES), '\n')), '\n\n')),
  ':  ::  dn:  \\  =  ;  <  -  changetype: delete  member;range=0-1: x',
);

const XML_PIECES = `<  >  /  &  &#0;  &#xD800;  &x;  "  <![CDATA[  ]]>  <!--  <?xml version="1.0"?>  <!DOCTYPE a [<!ENTITY x "y">]>  <row>
  </row>  <c>  </c>  <t>  <extLst>  <mergeCell ref="A1:B9"/>  <row r="1"/>  <table:table-row>  </table:table>  </text:p>`;
const maybe = (name: string, values: string): Texts =>
  fc.oneof(
    { weight: 9, arbitrary: fc.constant('') },
    { weight: 1, arbitrary: any(values).map((one) => ` ${name}="${one}"`) },
  );
const CELLS = `<v>0</v>  <v>7</v>  <v>-1</v>  <v>1e308</v>  <v>45000.5</v>  <v>-45000</v>  <v>x</v>  <v/>  <is><t>u1</t></is>  <f>A1</f>
  <is><r><t>u</t></r><rPh><t>p</t></rPh></is>`;
const cell = joined(
  '<c',
  maybe('r', 'A1  B1  C2  XFD1  XFE1  A0  1A'),
  maybe('t', 's  inlineStr  str  b  e  d  x'),
  maybe('s', '0  1  2  -1  99  x'),
  '>',
  any(CELLS),
  '</c>',
);
const HEADER = '<row><c t="inlineStr"><is><t>uid</t></is></c><c t="inlineStr"><is><t>guid</t></is></c></row>';
const sheetRow = joined('<row', maybe('r', '2  3  9  0  -1  1.5  1048577  x  9e99'), '>', many(cell, ''), '</row>');
const MERGED = fc.constantFrom(
  '',
  '<mergeCells><mergeCell ref="A1:B3"/></mergeCells>',
  '<mergeCells><mergeCell ref="XFD1048576:A1"/><mergeCell/></mergeCells>',
);
const sheet = fc.record({
  name: fc.constantFrom('S', '', '&amp;'),
  rows: damaged(joined(HEADER, many(sheetRow, '')), XML_PIECES),
  behind: MERGED,
});
const PARTS = any(
  '[Content_Types].xml  _rels/.rels  xl/workbook.xml  xl/_rels/workbook.xml.rels  xl/sharedStrings.xml  xl/styles.xml  xl/workbook.bin  mimetype  META-INF/manifest.xml',
);
const PART =
  any(`<  <a/>  \ufffe  <sst><si><t>u</t></si></sst>  <Relationships><Relationship Id="s0" Type="worksheet" Target="../../x"/></Relationships>
  <Relationships><Relationship Id="s0" Type="worksheet" Target="workbook.xml"/></Relationships>
  <styleSheet><numFmts><numFmt numFmtId="x" formatCode="[h]:mm"/></numFmts><cellXfs><xf numFmtId="x"/></cellXfs></styleSheet>`);
const otherParts = fc.oneof(
  { weight: 4, arbitrary: fc.constant({}) },
  { weight: 1, arbitrary: fc.dictionary(PARTS, PART, { maxKeys: 1 }) },
);
const workbook = fc
  .record({
    sheets: fc.array(sheet, { minLength: 1, maxLength: 2 }),
    texts: fc.array(any('<t>u1</t>  <r><t>x</t></r>  <t>_x000D__xD800_</t>'), { maxLength: 3 }),
    formats: fc.array(any('0.00  yyyy-mm-dd  [h]:mm:ss  0000  @  [$-F800]  ""  \\  [  %%'), { maxLength: 2 }),
    from1904: fc.boolean(),
    parts: otherParts,
  })
  .map(xlsx);

const ODS_MORE = fc.oneof(
  fc.constant(''),
  any(`table:number-columns-repeated="3"  table:number-columns-repeated="99999999"  table:number-columns-repeated="-1"
  table:number-rows-repeated="9999999999"  table:number-rows-repeated="3"  table:number-rows-spanned="2"  office:value-type="boolean"
  office:value-type="float" office:value="1e999"  office:value-type="date" office:date-value="9999-99-99"  office:value-type="time" office:time-value="PT1H"`),
);
const ODS_CELLS = `<text:p>uid</text:p>  <text:p>g1</text:p>  <text:p><text:s text:c="9999999"/></text:p>  <office:annotation><text:p>n</text:p></office:annotation>
  <text:p><text:p>x</text:p></text:p>`;
const odsCell = joined('<table:table-cell ', ODS_MORE, '>', any(ODS_CELLS), '</table:table-cell>');
const odsRow = joined('<table:table-row ', ODS_MORE, '>', many(odsCell, ''), '</table:table-row>');
const ODS_HEADER =
  '<table:table-row><table:table-cell><text:p>uid</text:p></table:table-cell><table:table-cell><text:p>guid</text:p></table:table-cell></table:table-row>';
const odsRows = joined('<a><table:table table:name="S">', ODS_HEADER, many(odsRow, ''), '</table:table></a>');
const MIMETYPE = 'application/vnd.oasis.opendocument.spreadsheet';
const ods = fc
  .tuple(damaged(odsRows, XML_PIECES), otherParts)
  .map(([content, parts]) => archive({ mimetype: MIMETYPE, 'content.xml': content, ...parts }));

const bytes = (whole: Texts): fc.Arbitrary<Buffer> => whole.map((one) => Buffer.from(one));
const anyText = fc.oneof(csv, json, ndjson, yaml, ldif);
const NAMES = any(
  'a.csv  b.csv  c.json  d.yaml  e/f.csv  channels.json  users.json  x.xlsx  n.zip  ../up.csv  /root.csv  e\\f.csv  .hidden',
);
const files = fc.oneof(
  fc.dictionary(any('a.csv  b.csv  folder/c.csv'), bytes(csv), { minKeys: 1, maxKeys: 3 }),
  fc.dictionary(
    NAMES,
    fc.oneof(
      bytes(anyText),
      workbook,
      bytes(csv).map((one) => gzipSync(one)),
    ),
    { maxKeys: 4 },
  ),
);

/** The bytes of a file by what it is. */
export const STRUCTURES: Readonly<Record<string, fc.Arbitrary<Buffer>>> = {
  csv: bytes(csv),
  json: bytes(json),
  ndjson: bytes(ndjson),
  yaml: bytes(yaml),
  ldif: bytes(ldif),
  xlsx: damagedBytes(workbook),
  ods: damagedBytes(ods),
  zip: damagedBytes(files.map(archive)),
  gzip: damagedBytes(anyText.map((one) => gzipSync(one))),
  zstd: damagedBytes(anyText.map((one) => zstdCompressSync(one))),
  'UTF-16': damagedBytes(anyText.map((one) => Buffer.from(`\ufeff${one}`, 'utf16le'))),
};

const oneOf = (...ways: readonly Partial<IntakeOptions>[]) => fc.constantFrom(...ways);

/** Options for reading a file: mostly none, else those that people give. */
export const WAYS: fc.Arbitrary<Partial<IntakeOptions>> = fc.oneof(
  { weight: 6, arbitrary: oneOf({}) },
  {
    weight: 1,
    arbitrary: oneOf(
      { lenient: true },
      { edits: true },
      { sheet: '2' },
      { files: ['*.csv'] },
      { delimiter: ';' },
      { encoding: 'utf-16le' },
    ),
  },
  {
    weight: 1,
    arbitrary: oneOf({ map: { uid: 'name', guid: 'x' } }, { map: { guid: 'groups.id' } }, { map: { guid: 'groups' } }),
  },
  {
    weight: 2,
    arbitrary: oneOf(
      { shape: { templates: { guid: '{guid|slug}' } } },
      { shape: { templates: { guid: '{groups.id}' }, where: [{ column: 'scope', isNot: ['no'] }] } },
      { shape: { split: { guid: ';' } } },
      {
        shape: {
          wide: { columns: ['g*', 'x'], guid: '{column|slug}' },
          scopeWords: { x: 'admin', '*': 'participant' },
        },
      },
      { shape: { headerRow: 2 } },
      { shape: { skipLines: 1, columns: ['uid', 'guid'] } },
    ),
  },
  {
    weight: 1,
    arbitrary: any('csv  json  ndjson  yaml  ldif  xlsx  ods').map((format) => ({ format }) as Partial<IntakeOptions>),
  },
  {
    weight: 1,
    arbitrary: any('slack  mattermost  stream  cometchat  scim  teams').map(
      (exportOf) => ({ exportOf }) as Partial<IntakeOptions>,
    ),
  },
);
