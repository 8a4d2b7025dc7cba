import { entryOf } from '../../errors/errors.ts';
import { asSentence } from '../../text/wording.ts';

/** The remedy of a refusal for a person at a terminal. @param given for programs */
export function remedyFor(code: string, given: string) {
  const { remedy } = entryOf(code) ?? {};
  const command = typeof remedy === 'object' && 'command' in remedy ? remedy.command : undefined;
  return typeof command === 'string' ? asSentence(command) : given;
}
