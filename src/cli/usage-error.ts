import { RollcallError } from '../errors/rollcall-error.ts';

/** A command was used in a way that cannot work; the message says what would. Exit code 2. */
export class UsageError extends RollcallError {
  constructor(what: string) {
    super('BAD_USAGE', { what });
  }
}
