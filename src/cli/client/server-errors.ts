import { entryOf } from '../../errors/errors.ts';
import { RollcallError } from '../../errors/rollcall-error.ts';
import { asSentence } from '../../text/wording.ts';

/** The server refuses the request: the caller can fix it. */
export class ServerRefused extends RollcallError<string> {
  constructor(code: string, what: string, remedy: string) {
    super(code, { what, remedy, exit: 2 });
  }
}

/** The server, or a proxy in front of it, fails. */
export class ServerFault extends RollcallError<string> {
  constructor(code: string, what: string, remedy: string, cause?: unknown) {
    super(code, { what, remedy, exit: 4 }, { cause });
  }
}

/** The server has not answered: it is down, it is stopping, or the connection broke. */
export class ServerAway extends ServerFault {
  constructor(url: string, cause: unknown) {
    const why = reasonOf(cause);
    const certificate = /certificate/i.test(why) ? '; ROLLCALL_CA_FILE names a certificate authority to trust' : '';
    super(
      'AWAY',
      `the rollcall server at ${url} does not answer: ${why}`,
      `check that it runs, and its address in --server or ROLLCALL_SERVER${certificate}`,
      cause,
    );
  }
}

/** If several addresses of one name fail, the aggregate error says nothing: use the first one's. */
function reasonOf(cause: unknown) {
  if (cause instanceof AggregateError && cause.errors.length > 0) return reasonOf(cause.errors[0]);
  return cause instanceof Error && cause.message !== '' ? cause.message : String(cause);
}

/** The remedy of a refusal for a person at a terminal. @param given for programs */
export function remedyFor(code: string, given: string) {
  const { remedy } = entryOf(code) ?? {};
  const command = typeof remedy === 'object' && 'command' in remedy ? remedy.command : undefined;
  return typeof command === 'string' ? asSentence(command) : given;
}
