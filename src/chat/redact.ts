/** Longest text of the service that an error keeps, in characters. */
export const MAX_TEXT_LENGTH = 500;

/** Makes a text of the service fit for an error, a report and a log. */
export type Redact = (text: string) => string;

/**
 * The service has been seen to echo the API key in an error, so its texts pass through here first. Each secret, and any
 * beginning of it from 8 characters on, becomes `[redacted]` in upper or lower case and any common escaping or encoding.
 * Then control characters become spaces. Last, the text is cut at MAX_TEXT_LENGTH, so that a cut cannot leave the readable
 * half of a key.
 * @param secrets visible ASCII, not empty
 */
export function createRedact(secrets: readonly string[]): Redact {
  const spellings = new RegExp(
    secrets.flatMap((secret) => [...base64Spellings(secret), hexSpelling(secret), escapedSpellings(secret)]).join('|'),
    'giu',
  );
  return (text) => {
    const clean = text
      .replace(spellings, '[redacted]')
      .replace(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, ' ')
      .trim();
    return clean.length <= MAX_TEXT_LENGTH ? clean : `${clean.slice(0, MAX_TEXT_LENGTH - 1).toWellFormed()}…`;
  };
}

/** The first characters of a key that are enough to count as one: services shorten keys in their texts. */
const MIN_PREFIX = 8;

/**
 * Every character as itself, or as it is written in an address, in JSON, or in HTML; invisible ones in between do not
 * help. A beginning of the secret counts as well, as far as it goes.
 */
function escapedSpellings(secret: string) {
  const spelt = Array.from(secret, (character) => {
    const code = character.charCodeAt(0);
    const hex = code.toString(16).padStart(2, '0');
    return `(?:\\u{${hex}}|%${hex}|\\\\u00${hex}|&#x0*${hex};|&#0*${code};)`;
  });
  const start = spelt.slice(0, MIN_PREFIX).join('\\p{C}*');
  return start + spelt.slice(MIN_PREFIX).reduceRight((later, one) => `(?:\\p{C}*${one}${later})?`, '');
}

/** Returns the base64 forms of a secret within longer data, as in `user:KEY`: one for each of three positions. */
function base64Spellings(secret: string) {
  return [0, 1, 2].flatMap((before) => {
    const bytes = Buffer.from(`${'-'.repeat(before)}${secret}`);
    // Letters at the edges also hold bits of the neighbouring bytes; one more may follow.
    const own = bytes.toString('base64').slice(Math.ceil((before * 4) / 3), Math.floor((bytes.length * 4) / 3));
    return own.length < MIN_PREFIX ? [] : [`${Array.from(own, base64Letter).join('')}[\\w+/-]?`];
  });
}

/** Addresses write two of the letters otherwise. */
function base64Letter(letter: string) {
  if (letter === '+') return '[+\\-]';
  return letter === '/' ? '[\\/_]' : letter;
}

function hexSpelling(secret: string) {
  return Buffer.from(secret).toString('hex');
}
