import iconv from 'iconv-lite';
import { describe, expect, test } from 'vitest';
import { openIntake } from '../../../src/imports/read/intake.ts';
import { OPTIONS, read, refusal, short } from './reading.ts';

const rowsOf = async (...given: Parameters<typeof read>) => (await read(...given)).rows.map(short);

describe('a file that cannot be opened', () => {
  test('is named by the end of its path, where the name of the file is', async () => {
    const path = `/nothing/${'a-long-folder/'.repeat(20)}members.csv`;
    expect((await refusal(openIntake({ path }, OPTIONS))).message).toContain('a-long-folder/members.csv"');
  });
});

describe('columns', () => {
  test('advice can be typed as it stands: names with blanks are in quotes', async () => {
    const error = await refusal(read('group id,group,uid\ng,g,u\n'));
    expect(error.remedy).toBe('Say which one counts with --map "guid=group id" or --map guid=group');
  });

  test('all that are missing are named at once', async () => {
    const error = await refusal(read('name,mail\nAda,a@b\n'));
    expect(error.message).toContain('recognised as the uid (');
    expect(error.message).toContain('and none as the guid (');
    expect(error.remedy).toContain('--map "uid=<column>,guid=<column>"');
  });

  test('where none is recognised, the first line may be no header, and what to do is said', async () => {
    for (const text of ['Members of 2026\nuid,guid\nu,g\n', 'ada@x.org,Team A\n', 'version:v1.0\nid\n', '*\n*\n']) {
      expect((await refusal(read(text))).remedy).toContain(
        'The first line must be the header: if it is further down, give its row with --header-row; if there is none, name the columns with --columns uid,guid',
      );
    }
    expect((await refusal(read('uid,name\nu,x\n'))).remedy).not.toContain('first line');
  });

  test('invisible characters in their names are shown', async () => {
    const { message } = await refusal(read('gu\u00adid,\u200buid,a\u00a0b\nx,y,z\n'));
    expect(message).toContain('"gu\\u{ad}id", "\\u{200b}uid", "a\\u{a0}b"');
  });

  test('long names are given as a whole, since they must be written exactly', async () => {
    const name = `Member object ID or user principal name [memberObjectIdOrUpn] Required ${'x'.repeat(80)}`;
    expect((await refusal(read(`${name},b\nx,y\n`))).message).toContain(JSON.stringify(name));
    const many = Array.from({ length: 30 }, (_, index) => `${index}${'y'.repeat(250)}`);
    const { message } = await refusal(read(`${many.join(',')}\nx\n`));
    expect(message.length).toBeLessThan(3_000);
    expect(message).toMatch(/and \d+ more/);
  });

  test('a foreign role column can be switched off, and the first unknown values say how', async () => {
    const text = 'uid,guid,role\nu1,g1,teacher\nu2,g1,MEMBER\n';
    const { rows } = await read(text);
    expect(rows.map(({ problems }) => problems[0]?.reason)).toEqual(
      ['"teacher"', '"MEMBER"'].map((value) =>
        expect.stringMatching(new RegExp(`${value}.*if this column does not hold scopes, do not read it as scope$`)),
      ),
    );
    expect(await rowsOf(text, { map: { scope: '' } })).toEqual(['us/g1/u1/participant/', 'us/g1/u2/participant/']);
    expect(await rowsOf(text, { map: { scope: '' }, region: 'us', scope: 'admin' })).toEqual([
      'us/g1/u1/admin/',
      'us/g1/u2/admin/',
    ]);
    const mixed = await read('uid,guid,role\nu1,g1,admin\nu2,g1,boss\n');
    expect(mixed.rows[1]?.problems[0]?.reason).not.toContain('--map');
  });

  test('a field that is mapped to nothing is not read from a column without a name either', async () => {
    expect(await rowsOf('uid,guid,\nu1,g1,admin\n', { map: { scope: '' } })).toEqual(['us/g1/u1/participant/']);
  });
});

describe('CSV', () => {
  test.each(['sep=;\n', 'sep=;\r\n', '"sep=;"\n', 'SEP=;\r'])(
    "Excel's %j names the delimiter and is no row",
    async (line) => {
      const end = line.endsWith('\r') ? '\r' : '\n';
      const { intake, rows } = await read(`${line}uid;guid;a,b${end}u1;g1;x${end}`);
      expect(intake.delimiter).toBe(';');
      expect(rows.map((row) => [row.line, short(row)])).toEqual([[3, 'us/g1/u1/participant/']]);
    },
  );

  test('a blank between delimiter and quote is named', async () => {
    const { rows } = await read('guid,uid\ng1, "u1"\ng1, "u1,x"\n');
    expect(rows[0]?.problems[0]?.reason).toContain('there is a space in front of the quote');
    expect(rows[1]?.problems[0]?.reason).toContain('there is a space between a delimiter and a quote');
    expect((await refusal(read('guid,uid\n"g1" ,"u1"\n'))).message).toContain('without a space');
  });
});

describe('encodings', () => {
  test('UTF-16 that ends in the middle of a character is refused', async () => {
    const bytes = iconv.encode('uid,guid\nu1,g12', 'utf-16le', { addBOM: true }).subarray(0, -1);
    expect(await refusal(read(bytes))).toMatchObject({
      code: 'BAD_ENCODING',
      facts: { place: `byte ${bytes.length}` },
    });
  });
});

describe('what is not a membership file is called by its name, with the way out', () => {
  const tar = Buffer.alloc(1024);
  tar.write('members.csv');
  tar.write('ustar', 257);
  test.each<[what: string, content: string | Buffer, says: RegExp]>([
    ['PDF', '%PDF-1.7\n%âãÏÓ', /a PDF document.*save the table as CSV/],
    ['XLS', Buffer.from('d0cf11e0a1b11ae10000', 'hex'), /an old Excel workbook \(.xls\)/],
    [
      'XLSX in a pipe',
      'PK\x03\x04\x14\0',
      /a workbook or a ZIP archive that comes through a pipe.*name the file itself/,
    ],
    ['Parquet', 'PAR1\x15\x04', /a Parquet file.*duckdb -c .* \| rollcall import -/],
    ['xz', Buffer.from('fd377a585a000004', 'hex'), /xz -dc <file>/],
    ['tar', tar, /tar -xOf <file>/],
    ['HTML', '<!DOCTYPE html>\n<table><tr><td>uid</td></tr></table>', /an HTML page/],
    ['XML', '<?xml version="1.0"?><members/>', /this is XML/],
    ['JSON with comments', '// members\n[{"uid":"u","guid":"g"}]', /JSON with comments.*Remove the comments/],
  ])('%s', async (_, content, says) => {
    expect((await refusal(read(content))).message).toMatch(says);
  });

  test.each([['{}', 'one object with no keys']])('%s, as a JSON value that holds no rows', async (text, says) => {
    expect(await refusal(read(text))).toMatchObject({ code: 'JSON_SHAPE', message: expect.stringContaining(says) });
  });
});

describe('JSON', () => {
  test('one row with lists in other columns is a row, on one line or several, long or short', async () => {
    const row = { guid: 'g', uid: 'u2', tags: ['b'], notes: [{ by: 'x' }] };
    const long = { ...row, text: 'x'.repeat(20_000) };
    for (const value of [row, long]) {
      expect(await rowsOf(JSON.stringify(value))).toEqual(['us/g/u2/participant/']);
      expect(await rowsOf(`${JSON.stringify(value)}\n${JSON.stringify(value)}\n`)).toHaveLength(2);
    }
    expect(await rowsOf(JSON.stringify({ ...row, notes: [] }, undefined, 2))).toEqual(['us/g/u2/participant/']);
    expect(await rowsOf('{"Room":"g","Badge":"u","tags":[]}', { map: { uid: 'Badge', guid: 'Room' } })).toEqual([
      'us/g/u/participant/',
    ]);
  });

  test('an object around rows is still refused where it says a group of its own', async () => {
    for (const text of ['{"guid":"g1","members":[{"uid":"u1"}]}', '{"user":"me","rows":[{"uid":"u1","guid":"g"}]}']) {
      expect((await refusal(read(text))).message).toContain('is beside');
    }
  });

  test.each([1, 25, 60, 100])('an error in element %i of 100 is placed there, at its byte', async (wrong) => {
    const elements = Array.from({ length: 100 }, (_, index) => `{"guid":"gé${index}","uid":"u${index}"}`);
    const before = `[${elements
      .slice(0, wrong - 1)
      .map((one) => `${one},\n`)
      .join('')}`;
    elements[wrong - 1] = '{"guid":"g" "uid":"u"}';
    for (const pieces of [[], [7]]) {
      const error = await refusal(read(`[${elements.join(',\n')}]`, {}, pieces));
      const byte = Buffer.byteLength(before) + '{"guid":"g" '.length;
      expect(error).toMatchObject({ code: 'JSON_BROKEN', facts: { place: `element ${wrong}, byte ${byte}` } });
      expect(error.message).toContain('unexpected "\\"" behind "{\\"guid\\":\\"g\\" "');
    }
  });

  test('an error behind the rows, in the object around them, is placed at its byte', async () => {
    const text = '{"total": 1, "data": [ {"uid":"u","guid":"g"} ], "x" 5}';
    expect(await refusal(read(text))).toMatchObject({
      code: 'JSON_BROKEN',
      facts: { place: expect.stringContaining(`byte ${text.indexOf('5}')}`) },
    });
  });

  test('a key of a field that stands twice is a problem of its row; nothing of the row is lost', async () => {
    for (const format of ['json', 'ndjson'] as const) {
      const text = '{"guid":"g","uid":"u1","uid":"u2","note":"a","note":"b"}';
      const { rows } = await read(format === 'json' ? `[${text}]` : text, { format });
      expect(rows[0]?.problems).toMatchObject([{ column: 'uid', code: 'REPEATED_KEY' }]);
      expect(rows[0]?.original).toBe(text);
      const foreign = '{"guid":"g","uid":"u1","x":{"uid":1},"note":"a","note":"b"}';
      expect(await rowsOf(foreign, { format: 'ndjson' })).toEqual(['us/g/u1/participant/']);
    }
  });

  test('a list of members that stands twice is refused: one of the two would be gone', async () => {
    const error = await refusal(read('[{"guid":"g","admins":["a"],"admins":["b"]}]'));
    expect(error.message).toContain('"admins" is in it more than once');
  });

  test.each(['1.0', '-0', '1e2'])('the number %s is not a valid id: it would be taken for another', async (uid) => {
    for (const format of ['json', 'ndjson'] as const) {
      const element = `{"guid":"g","uid":${uid}}`;
      const { rows } = await read(format === 'json' ? `[${element}]` : element, { format });
      expect(rows[0]?.problems).toMatchObject([{ code: 'NOT_TEXT', value: uid }]);
    }
  });
});
