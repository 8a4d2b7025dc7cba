import type { Command } from 'commander';
import { SETTINGS, type SettingDeclaration } from '../../platform/settings.ts';

/** A flag with a value is given once: of two values the last would win, and nobody would notice. */

const REPEATABLE = new WeakSet<object>();
const SECRET = new WeakSet<object>();
/** `https://ann:password@…` */
const ADDRESS_WITH_USER = /:\/\/[^/\s]*@/;

/** Marks the parser of a flag that joins its value with what was given before. */
export function repeatable<Parser extends object>(parser: Parser): Parser {
  REPEATABLE.add(parser);
  return parser;
}

/** Marks the parser of a flag whose value may hold a key or password: no message repeats it. */
export function secret<Parser extends object>(parser: Parser): Parser {
  SECRET.add(parser);
  return parser;
}

/** Makes a command refuse a second, different value. */
export function refuseSecondValues(command: Command) {
  for (const option of command.options) {
    const { parseArg = {}, flags } = option;
    if (option.isBoolean() || option.variadic || REPEATABLE.has(parseArg)) continue;
    let first: string | undefined;
    command.on(`option:${option.name()}`, (given: string | null) => {
      const value = given ?? '';
      first ??= value;
      if (first === value) return;
      const isSecret = SECRET.has(parseArg) || ADDRESS_WITH_USER.test(`${first} ${value}`);
      const both = isSecret ? 'two values' : `${JSON.stringify(first)} and ${JSON.stringify(value)}`;
      command.error(`error: option '${flags}' was given ${both}; give it once${insteadOf(flags)}`);
    });
  }
}

/** A script that always gives a flag would win over its user, or lose to them, unseen; a setting loses, as all know. */
function insteadOf(flags: string) {
  const setting = Object.values<SettingDeclaration>(SETTINGS).find(({ flag }) => flag === flags);
  return setting === undefined ? '' : `. A script can set ${setting.env} instead, which the flag overrides`;
}
