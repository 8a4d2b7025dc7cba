import { RollcallError } from '../../errors/rollcall-error.ts';

/** The server refuses the request: the caller can mend it. */
export class ServerRefused extends RollcallError {
  constructor(code: string, what: string, remedy: string) {
    super(code, what, { remedy, kind: 'usage' });
  }
}

/** The server, or what stands before it, fails. */
export class ServerFault extends RollcallError {
  constructor(code: string, what: string, remedy: string, options?: ErrorOptions) {
    super(code, what, { ...options, remedy, kind: 'fatal' });
  }
}

/** No answer of the server has come: it is not there, stops, or the connection broke. */
export class ServerAway extends ServerFault {
  constructor(url: string, cause: unknown) {
    const why = reasonOf(cause);
    const certificate = /certificate/i.test(why) ? '; ROLLCALL_CA_FILE names a certificate authority to trust' : '';
    super(
      'AWAY',
      `the rollcall server at ${url} does not answer: ${why}`,
      `check that it runs, and its address in --server or ROLLCALL_SERVER${certificate}`,
      { cause },
    );
  }
}

/** Several addresses of one name fail together, and the error of the whole says nothing. */
function reasonOf(cause: unknown): string {
  if (cause instanceof AggregateError && cause.errors.length > 0) return reasonOf(cause.errors[0]);
  return cause instanceof Error && cause.message !== '' ? cause.message : String(cause);
}
