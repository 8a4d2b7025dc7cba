import { SourceError } from './source-errors.ts';

/** Headers with which a source is asked for. Their values are secrets: only where they are is kept. */

const FORM = "allowed is a name and the environment variable with its value, such as 'Authorization=env:NIGHTLY_TOKEN'";
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const VARIABLE = /^env:([A-Za-z_][A-Za-z0-9_]*)$/;
/** Those by which a request is held together, or which are rollcall's own. */
const OURS = /^(host|connection|content-.*|transfer-encoding|te|upgrade|expect|accept-encoding|range|if-.*)$/i;
const SENDABLE = /^[\t\x20-\x7e\x80-\xff]+$/;

/**
 * `Authorization=env:NIGHTLY_TOKEN` as header and variable. A text instead of a variable may be a secret, and is not
 * shown.
 */
export function headerFrom(text: string): readonly [header: string, variable: string] {
  const [, header = '', value = ''] = /^([^=:\s]+)\s*=(.*)$/s.exec(text.trim()) ?? [];
  if (!NAME.test(header)) throw new SourceError(`a header has no name; ${FORM}`);
  if (OURS.test(header)) throw new SourceError(`the header ${header} is rollcall's own; leave it out`);
  const [, variable] = VARIABLE.exec(value.trim()) ?? [];
  if (variable !== undefined) return [header, variable];
  throw new SourceError(`the header ${header} names no environment variable; ${FORM}`);
}

export function headersFrom(texts: readonly string[]): Record<string, string> {
  return Object.fromEntries(texts.map(headerFrom));
}

/**
 * The headers with their values of this moment.
 * @param headers header → variable  @throws SourceError with the variable's name when it is not set or cannot be sent
 */
export function headersWithValues(
  headers: Readonly<Record<string, string>>,
  environment: (variable: string) => string | undefined,
): Record<string, string> {
  const values = Object.entries(headers).map(([header, variable]) => {
    const value = environment(variable)?.trim();
    if (value === undefined || value === '') {
      throw new SourceError(
        `the environment variable ${variable}, which holds the header ${header}, is not set; set it where rollcall runs`,
      );
    }
    if (!SENDABLE.test(value)) {
      throw new SourceError(`the environment variable ${variable} holds characters that no header may have`);
    }
    return [header, value] as const;
  });
  return Object.fromEntries(values);
}
