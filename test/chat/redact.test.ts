import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createRedact, MAX_TEXT_LENGTH } from '../../src/chat/redact.ts';

const KEY = '84f1c0de84f1c0de84f1c0de84f1c0de84f1c0de';
const redact = createRedact([KEY]);

const hex = (character: string) => character.charCodeAt(0).toString(16).padStart(2, '0');
const SPELLINGS: Readonly<Record<string, (secret: string) => string>> = {
  'as it is': (secret) => secret,
  'in capitals': (secret) => secret.toUpperCase(),
  'percent-encoded': (secret) => Array.from(secret, (c) => `%${hex(c)}`).join(''),
  'as an address has it': (secret) => encodeURIComponent(secret),
  'as JSON escapes': (secret) => Array.from(secret, (c) => `\\u00${hex(c)}`).join(''),
  'as HTML references': (secret) => Array.from(secret, (c) => `&#${c.charCodeAt(0)};`).join(''),
  'as hexadecimal HTML references': (secret) => Array.from(secret, (c) => `&#x${hex(c)};`).join(''),
  'in hexadecimal': (secret) => Buffer.from(secret).toString('hex'),
  'in base64url': (secret) => Buffer.from(secret).toString('base64url'),
  'in base64': (secret) => Buffer.from(secret).toString('base64'),
  'with invisible characters inside': (secret) => Array.from(secret).join('\u200b'),
  'broken over lines': (secret) => `${secret.slice(0, 3)}\r\n${secret.slice(3)}`,
};

describe('redaction', () => {
  test.each(Object.entries(SPELLINGS))('a key written %s is replaced', (_name, spell) => {
    expect(redact(`the key ${spell(KEY)} has no access`)).toMatch(/^the key \[redacted\]=* has no access$/);
  });

  test('any secret is found in any spelling, wherever it stands', () => {
    const secret = fc.string({
      unit: fc.integer({ min: 0x21, max: 0x7e }).map((c) => String.fromCharCode(c)),
      minLength: 8,
    });
    const text = fc.string({ unit: fc.constantFrom(' ', '\n', 'ö'), maxLength: 700 });
    fc.assert(
      fc.property(secret, fc.constantFrom(...Object.values(SPELLINGS)), text, text, (key, spell, before, after) => {
        const shown = createRedact([key])(before + spell(key) + after);
        expect(shown).not.toContain(spell(key));
        expect(shown).not.toContain(key.slice(0, 8));
      }),
    );
  });

  test.each(['user', 'me', 'x', ''])('a key is found in the base64 of "%s:KEY"', (user) => {
    const credentials = Buffer.from(`${user}:${KEY}`).toString('base64');
    const shown = redact(`Authorization: Basic ${credentials}, refused`);
    const own = /Basic (.*?)\[redacted\]=*, refused$/.exec(shown)?.[1];
    // The rest of it tells no more than the user.
    expect(Buffer.from(own ?? credentials, 'base64').toString()).not.toContain(KEY.slice(0, 3));
  });

  test.each([8, 12, 39])('the first %i characters of a key are replaced', (count) => {
    expect(redact(`key ${KEY.slice(0, count)}… is unknown`)).toBe('key [redacted]… is unknown');
  });

  test('a beginning that is shorter says nothing', () => {
    expect(redact(`key ${KEY.slice(0, 4)}… is unknown`)).toBe(`key ${KEY.slice(0, 4)}… is unknown`);
  });

  test('a long text that nearly holds the key takes no time', () => {
    const text = KEY.slice(0, 39).repeat(20_000);
    const startedAt = process.cpuUsage().user;
    redact(text);
    redact('\u200b'.repeat(500_000));
    expect((process.cpuUsage().user - startedAt) / 1e6).toBeLessThan(5);
  });

  test('each of several secrets is replaced', () => {
    expect(createRedact(['first-secret', 'second-secret'])('first-secret, second-secret')).toBe(
      '[redacted], [redacted]',
    );
  });

  test('control characters become spaces', () => {
    expect(redact('a\u0000b\u001b[31mc\r\nd\u202ee')).toBe('a b [31mc d e');
  });

  test('a long text is cut, and only after the key is gone', () => {
    const text = redact(`${'x'.repeat(MAX_TEXT_LENGTH - 20)}${KEY}${'x'.repeat(1000)}`);
    expect(text).toHaveLength(MAX_TEXT_LENGTH);
    expect(text).toContain('[redacted]');
    expect(text).not.toContain(KEY.slice(0, 6));
  });

  test('other text stays as it is', () => {
    expect(redact('The group with guid grüße-1 does not exist. 👋')).toBe(
      'The group with guid grüße-1 does not exist. 👋',
    );
  });
});
