import { RollcallError } from '../../errors/rollcall-error.ts';

/** The server refuses the request: the caller can fix it. */
export class ServerRefused extends RollcallError {
  constructor(code: string, what: string, remedy: string, message?: string) {
    super(code, what, { remedy, exit: 2, ...(message !== undefined && { message }) });
  }

  /** @param detail a sentence of the server  @param remedy a sentence of the server, or ours */
  static inSentences(code: string, detail: string, remedy: string): ServerRefused {
    return new ServerRefused(code, detail, remedy, `${detail} ${remedy}`);
  }
}

/** The server, or a proxy in front of it, fails. */
export class ServerFault extends RollcallError {
  constructor(code: string, what: string, remedy: string, about?: { cause?: unknown; message?: string }) {
    super(code, what, { ...about, remedy, exit: 4 });
  }

  /** Like ServerRefused.inSentences. */
  static inSentences(code: string, detail: string, remedy: string): ServerFault {
    return new ServerFault(code, detail, remedy, { message: `${detail} ${remedy}` });
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
      { cause },
    );
  }
}

/** If several addresses of one name fail, the aggregate error says nothing: use the first one's. */
function reasonOf(cause: unknown): string {
  if (cause instanceof AggregateError && cause.errors.length > 0) return reasonOf(cause.errors[0]);
  return cause instanceof Error && cause.message !== '' ? cause.message : String(cause);
}

/** Advice after a refusal for a person at a terminal, if the API's own remedy is for programs. */
const REMEDIES: Readonly<Record<string, string>> = {
  TOKEN_REQUIRED: 'Set ROLLCALL_TOKEN to a token, which `rollcall token create` makes on the server.',
  TOKEN_REFUSED: 'Set ROLLCALL_TOKEN to a valid token, which `rollcall token create` makes on the server.',
  TOKEN_EXPIRED: 'Set ROLLCALL_TOKEN to a new token, from an admin or made by `rollcall token create` on the server.',
  UNKNOWN_IMPORT: '`rollcall list` shows all imports.',
  UNKNOWN_SYNC: '`rollcall sync list` shows all syncs.',
  UNKNOWN_SCHEDULE: '`rollcall schedule list` shows all schedules.',
  UNKNOWN_EXPORT: 'It may have been downloaded or removed already; `rollcall export` begins a new one.',
  NO_CHECK_YET: '`rollcall check` begins one.',
};

/** The remedy of a refusal for a person at a terminal. @param given for programs */
export function remedyFor(code: string, given: string): string {
  return REMEDIES[code] ?? given;
}
