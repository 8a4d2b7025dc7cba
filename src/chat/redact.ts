/** Longest text of the service that an error keeps, in characters. */
export const MAX_TEXT_LENGTH = 500;

/** Makes a text of the service fit for an error, a report and a log. */
export type Redact = (text: string) => string;

/**
 * The service has been seen to echo the API key in an error, so whatever it says passes through here first:
 * each secret becomes `[redacted]` in any case and any common escaping, control characters become spaces, and
 * the text is cut at MAX_TEXT_LENGTH, in this order, so that a cut cannot leave the readable half of a key.
 * @param secrets visible ASCII, not empty
 */
export function createRedact(secrets: readonly string[]): Redact {
  const spellings = new RegExp(
    secrets.flatMap((secret) => [escapedSpellings(secret), base64(secret)]).join('|'),
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

/** Every character as itself, or as it is written in an address, in JSON, or in HTML; invisible ones in between do not help. */
function escapedSpellings(secret: string): string {
  return Array.from(secret, (character) => {
    const code = character.charCodeAt(0);
    const hex = code.toString(16).padStart(2, '0');
    return `(?:\\u{${hex}}|%${hex}|\\\\u00${hex}|&#x0*${hex};|&#0*${code};)`;
  }).join('\\p{C}*');
}

function base64(secret: string): string {
  return Array.from(
    Buffer.from(secret).toString('base64').replace(/=+$/, ''),
    (c) => `\\u{${c.charCodeAt(0).toString(16)}}`,
  ).join('');
}
