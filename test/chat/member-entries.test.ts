import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { type RawReply, readReply } from '../../src/chat/call.ts';
import { addMembersReply } from '../../src/chat/contract.ts';
import { endOfValue } from '../../src/chat/json-scan.ts';
import { entriesOf, readMemberEntries, walkEntries } from '../../src/chat/member-entries.ts';
import { createRedact } from '../../src/chat/redact.ts';
import { MEMBER_LISTS } from '../../src/chat/service/lists.ts';
import { jsonOrUndefined } from '../../src/text/json-or-undefined.ts';
import { runs } from '../runs.ts';

const redact = createRedact(['top-secret-key']);

const rawOf = (text: string | Buffer, httpStatus = 200): RawReply => ({
  httpStatus,
  body: Buffer.from(text),
  rate: {},
});

/** Returns the result of a reading; an error as its class and message. */
function outcome<Read>(read: () => Read) {
  try {
    return { read: read() };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { error: error.name, message: error.message };
  }
}

function bothWays(raw: RawReply) {
  return {
    walked: outcome(() => readMemberEntries(raw, redact)),
    whole: outcome(() => entriesOf(readReply(raw, addMembersReply, redact), redact)),
  };
}

/** Words that mean something where they stand, and some that look as if they did. */
const words = fc.constantFrom(
  ...['data', 'success', 'error', 'code', 'message', ...MEMBER_LISTS, '__proto__', 'constructor', 'toString'],
  ...[
    'u1',
    'U1',
    'u2',
    '25',
    'Ü',
    'K',
    'top-secret-key',
    'quo"te',
    'back\\slash',
    'line\nbreak',
    '\u2028',
    '\ud800',
    '',
  ],
);
const scalars = fc.oneof(
  fc.constantFrom<unknown>(true, false, null, 0, -0.5, 1e21, 'true'),
  words,
  fc.string(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);

/** JSON as text, with keys that come twice, white space anywhere, and escapes where none are needed. */
const space = fc.constantFrom('', '', '', ' ', '\n\t', '\r');
const text = (value: string) =>
  fc.constantFrom(
    JSON.stringify(value),
    `"${Array.from({ length: value.length }, (_, at) => `\\u${value.charCodeAt(at).toString(16).padStart(4, '0')}`).join('')}"`,
  );
const key = (keys: fc.Arbitrary<string>) =>
  keys.chain((word) => fc.oneof({ weight: 9, arbitrary: fc.constant(JSON.stringify(word)) }, text(word)));
const objectOf = (keys: fc.Arbitrary<string>, values: fc.Arbitrary<string>) =>
  fc
    .array(fc.tuple(space, key(keys), space, values, space), { maxLength: 5 })
    .map((pairs) => `{${pairs.map(([a, name, b, value, c]) => `${a}${name}${b}:${b}${value}${c}`).join(',')}}`);

const { anything } = fc.letrec<{ anything: string }>((tie) => ({
  anything: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    scalars.map((value) => JSON.stringify(value)),
    objectOf(words, tie('anything')),
    fc.array(tie('anything'), { maxLength: 3 }).map((list) => `[${list.join(', ')}]`),
  ),
}));

/** An action message, and what looks like one: the fields that are kept of it in their places. */
const kept = fc.constantFrom(
  ...[
    '"47"',
    '47',
    '-0',
    '3',
    '3.0',
    '1e2',
    '99999999999999999999',
    '"top-secret-key"',
    '"\\u0034"',
    'null',
    '[]',
    '{}',
  ],
);
const along = (next: fc.Arbitrary<string>, name: string, field = name) =>
  objectOf(fc.constantFrom(name, name, field, 'u1'), fc.oneof({ weight: 4, arbitrary: next }, kept));
const message = along(along(along(along(along(kept, 'membersCount'), 'entity'), 'for'), 'entities'), 'data', 'id');
const entry = fc.oneof(
  { weight: 4, arbitrary: message.map((data) => `{"success":true,"data":${data}}`) },
  { weight: 4, arbitrary: anything.map((message) => `{"success":true,"data":${message}}`) },
  { weight: 2, arbitrary: objectOf(fc.constantFrom('success', 'error', 'data', 'code', 'message'), anything) },
  { weight: 1, arbitrary: fc.constant('{"success":false,"error":{"code":"ERR_ALREADY_JOINED","message":"it is so"}}') },
  anything,
);
const list = fc.oneof(
  { weight: 6, arbitrary: objectOf(fc.oneof(words, fc.stringMatching(/^[A-Za-z0-9_-]{1,8}$/)), entry) },
  anything,
);
const lists = fc.oneof(
  { weight: 8, arbitrary: objectOf(fc.oneof(fc.constantFrom(...MEMBER_LISTS), words), list) },
  anything,
);
const reply = fc.oneof(
  { weight: 4, arbitrary: lists.map((data) => `{"data":${data}}`) },
  { weight: 2, arbitrary: objectOf(fc.constantFrom('data', 'error', 'meta'), lists) },
  anything,
);

describe('a reply that is walked over comes to the same as one that is read as a whole', () => {
  test('whatever it holds', () => {
    fc.assert(
      fc.property(reply, fc.constantFrom(200, 201, 299, 404, 503), (body, httpStatus) => {
        const { walked, whole } = bothWays(rawOf(body, httpStatus));
        expect(walked).toEqual(whole);
      }),
      { numRuns: runs(400) },
    );
  });

  test('whatever byte of it is changed, missing, or too many', () => {
    const damage = fc.tuple(
      fc.nat(),
      fc.constantFrom(0, 1, 2),
      fc.oneof(fc.nat(255), fc.constantFrom(...Buffer.from('"\\{}[],:0-+.eE tfn\0'))),
    );
    fc.assert(
      fc.property(reply, fc.array(damage, { minLength: 1, maxLength: 3 }), (body, damages) => {
        let bytes = Buffer.from(body);
        for (const [place, removed, byte] of damages) {
          const at = place % (bytes.length + 1);
          bytes = Buffer.concat([bytes.subarray(0, at), Buffer.of(byte), bytes.subarray(at + removed)]);
        }
        const { walked, whole } = bothWays(rawOf(bytes));
        expect(walked).toEqual(whole);
      }),
      { numRuns: runs(600) },
    );
  });

  test.each([
    ['data of an entry twice', '{"data":{"admins":{"u1":{"success":true,"data":{"id":"1"},"data":{"id":"2"}}}}}'],
    ['an id twice', '{"data":{"admins":{"u1":{"success":true,"data":{"id":"1","id":"2"}}}}}'],
    ['an id that is no text', '{"data":{"admins":{"u1":{"success":true,"data":{"id":47}}}}}'],
    ['an id with the key in it', '{"data":{"admins":{"u1":{"success":true,"data":{"id":"top-secret-key"}}}}}'],
    ['an id in escapes', '{"data":{"admins":{"u1":{"success":true,"data":{"id":"\\u0034\\u0037"}}}}}'],
    ['a UID twice in a list', '{"data":{"admins":{"u1":{"success":false},"u1":{"success":true}}}}'],
    ['a UID in two spellings', '{"data":{"admins":{"u1":{"success":false},"U1":{"success":true}}}}'],
    [
      'a UID in two lists, the lower one first',
      '{"data":{"participants":{"u1":{"success":true}},"admins":{"u1":{"success":false}}}}',
    ],
    ['a list twice', '{"data":{"admins":{"u1":{"success":true}},"admins":{"u2":{"success":true}}}}'],
    ['a list twice, the second time empty', '{"data":{"admins":{"u1":{"success":true}},"admins":[]}}'],
    ['data twice', '{"data":{"admins":{"u1":{"success":true}}},"data":{"admins":{"u2":{"success":true}}}}'],
    ['success twice', '{"data":{"admins":{"u1":{"success":true,"success":false}}}}'],
    ['success again, escaped', '{"data":{"admins":{"u1":{"success":true,"succes\\u0073":false}}}}'],
    ['a list again, escaped', '{"data":{"admins":{"u1":{"success":true}},"admin\\u0073":{"u1":{"success":false}}}}'],
    ['success as text', '{"data":{"admins":{"u1":{"success":"true"}}}}'],
    ['an entry that is a list', '{"data":{"admins":{"u1":[{"success":true}]}}}'],
    ['an empty list', '{"data":{"admins":[ ],"moderators":{}}}'],
    ['a list of entries', '{"data":{"admins":[{"u1":{"success":true}}]}}'],
    ['a mark in front', '\ufeff{"data":{"admins":{"u1":{"success":true}}}}'],
    ['more behind it', '{"data":{"admins":{"u1":{"success":true}}}}}'],
    ['a form feed behind it', '{"data":{"admins":{"u1":{"success":true}}}}\f'],
    ['white space behind it', '{"data":{"admins":{"u1":{"success":true}}}} \r\n\t'],
    ['a message that is broken off', '{"data":{"admins":{"u1":{"success":true,"data":{"id":"47'],
    ['the UID __proto__', '{"data":{"admins":{"__proto__":{"success":true},"u2":{"success":false}}}}'],
    ['an error beside data', '{"error":{"code":"X"},"data":{"admins":{"u1":{"success":true}}}}'],
    ['an error and no data', '{"error":{"code":"ERR_GUID_NOT_FOUND"}}'],
    ['a message that is not JSON', '{"data":{"admins":{"u1":{"success":true,"data":{"id":"1","sentAt":01}}}}}'],
    ['a list in a message that ends as an object', '{"data":{"admins":{"u1":{"success":true,"data":{"tags":[1}}}}}}'],
    [
      'a piece of a message that is missing',
      '{"data":{"admins":{"u1":{"success":true,"data":{"id":"1","text":ext}}}}}',
    ],
    ['a zero in it', '{"data":{"admins":{"u1":{"success":true,"data":"\0"}}}}'],
    ['a zero in a UID', '{"data":{"admins":{"u\0":{"success":true}}}}'],
    ['a message that is nested without end', `{"data":{"admins":{"u1":{"success":true,"data":${'['.repeat(50_000)}`],
    ['an id that is not JSON', '{"data":{"admins":{"u1":{"success":true,"data":{"id":01}}}}}'],
    ['a refusal that is not JSON', '{"data":{"admins":{"u1":{"success":false,"at":01}}}}'],
  ])('%s', (_, body) => {
    const { walked, whole } = bothWays(rawOf(body));
    expect(walked).toEqual(whole);
  });
});

test('of an ordinary reply, only what is no success is built as objects', () => {
  const message = {
    id: '47',
    data: {
      entities: { for: { entity: { guid: 'team', membersCount: 5 } } },
      action: 'added',
      tags: ['a', 'b'],
      icon: 'https:\\/\\/x',
      name: 'Zoë "Z"',
      n: -1.5e3,
    },
  };
  const data = {
    admins: { u1: { success: true, data: message } },
    participants: {
      'U-2': { success: true, data: message },
      u3: { success: false, error: { code: 'ERR_ALREADY_JOINED' } },
    },
    usersToBan: { u4: { success: true } },
  };
  for (const body of [JSON.stringify({ data }), JSON.stringify({ data, meta: null }, null, 2)]) {
    const parsed = vi.spyOn(JSON, 'parse');
    const entries = walkEntries(Buffer.from(body), redact);
    const built = parsed.mock.results.map(({ value }) => value).filter((value) => typeof value === 'object');
    expect(built).toEqual([data.participants.u3]);
    parsed.mockRestore();
    expect([...(entries?.keys() ?? [])]).toEqual(['u1', 'u-2', 'u3', 'u4']);
    const addition = { messageId: '47', members: 5 };
    expect(entries?.get('u-2')).toEqual({ success: true, addition });
    expect(entries).toEqual(entriesOf(readReply(rawOf(body), addMembersReply, redact), redact));
  }
});

test('a reply that is longer than the limit is malformed', () => {
  const read = () => readMemberEntries({ httpStatus: 200, body: null, rate: {} }, redact);
  expect(read).toThrow(expect.objectContaining({ code: 'MALFORMED_REPLY' }));
});

test('JSON is walked over to its end, and nothing else is', () => {
  const parses = (json: string) => jsonOrUndefined(json) !== undefined;
  const walks = (json: string) => {
    try {
      return endOfValue(Buffer.from(json), 0) === Buffer.byteLength(json);
    } catch (error) {
      if (error instanceof SyntaxError) return false;
      throw error;
    }
  };
  fc.assert(
    fc.property(fc.json({ maxDepth: 6 }), (json) => {
      // A key with an escape is left to JSON.parse.
      if (!json.includes('\\')) expect(walks(json)).toBe(true);
    }),
    { numRuns: runs(1_000) },
  );
  const bits = fc.constantFrom(
    ...['{', '}', '[', ']', ',', ':', '"', '"a"', '\\', '\\u00e', '0', '1', '-', '.', 'e', '+', 'true', 'nul', ' '],
  );
  fc.assert(
    fc.property(fc.array(bits, { maxLength: 8 }), (parts) => {
      const json = parts.join('');
      if (walks(json)) expect(parses(json)).toBe(true);
    }),
    { numRuns: runs(5_000) },
  );
  for (const text of ['"\\u00e9\\/"', '"\\"Zoë\\""', '"\\x"', '"\\"', '"\\u00e"', '"\t"'])
    expect({ text, walks: walks(text) }).toEqual({ text, walks: parses(text) });
  for (const number of ['0', '-0', '10.50', '1E+2', '1e-0', '00', '01', '-', '1.', '.5', '1e', '1e+', '+1', '0x1'])
    expect({ number, walks: walks(number) }).toEqual({ number, walks: parses(number) });
});
