import { asClause } from '../text/wording.ts';
import { failure, type Said } from './entry.ts';

/** A reply that is a refusal: of the service, or of something between us and the service. */
export interface Refused {
  readonly httpStatus: number;
  /** The service's own error code, such as ERR_GUID_NOT_FOUND; null when the reply has none. */
  readonly serviceCode: string | null;
  /** The service's own words; empty when it gave none. */
  readonly serviceMessage: string;
  /** The rate limit, as chat/rate-headers.ts reads it. */
  readonly rate: Readonly<
    Partial<Record<'limit' | 'remaining' | 'resetAtMs' | 'waitMs' | 'askedMs', number | undefined>>
  >;
  /** The service's id of the request, if the reply has one. */
  readonly requestId?: string | null;
  /** Description of a reply that is probably not the service's: `a web page "Access denied"`. */
  readonly foreign?: string | null;
  /** An error that came with a status of success: the call may have been carried out. */
  readonly doubtful?: boolean;
}

/** A call without a usable reply. */
export interface Unanswered extends Said {
  /** Whether the request had left, so that the service may have acted on it. */
  readonly maybeCarriedOut: boolean;
}

export const SERVICE_ERRORS = {
  SERVICE_REFUSED: failure({
    title: 'The service refuses the key or plan of a region',
    exit: 3,
    sentence: ({ region, code, message }: Record<'region' | 'code' | 'message', string>) =>
      `region ${region} refuses every call (${code}: ${asClause(message)})`,
    remedy: 'fix its key or plan, check it with `rollcall doctor`, and sync again',
  }),
  SERVICE_AWAY: failure({
    title: 'The service has not answered for as long as the command waits',
    cause: 'That is an hour, or `ROLLCALL_GIVE_UP_AFTER`.',
    exit: 3,
    sentence: ({ region, message }: Record<'region' | 'message', string>) => `region ${region}: ${asClause(message)}`,
    remedy: 'sync again when `rollcall doctor` finds the service',
  }),
  REFUSED: failure({
    title: 'The service refuses a call',
    exit: 4,
    sentence: ({ httpStatus, serviceCode, serviceMessage, foreign }: Refused) =>
      foreign == null
        ? `the chat service refused the call: HTTP ${httpStatus}, ${serviceCode ?? 'no error code'}: ${serviceMessage || 'no message'}`
        : `something other than the chat service answered the call: HTTP ${httpStatus}, ${foreign}`,
  }),
  MALFORMED_REPLY: failure<
    Unanswered & {
      /** Null when the reply is not even HTTP. */
      readonly httpStatus: number | null;
    }
  >({ title: 'A reply of the service cannot be read', exit: 4 }),
  INVALID_CALL: failure({ title: 'A call cannot be sent', exit: 4 }),
  ABORTED: failure<Pick<Unanswered, 'maybeCarriedOut'>>({
    title: 'A call was given up by this side',
    exit: 4,
    sentence: () => 'the call was given up by this side',
  }),
  UNTRUSTED_LISTING: failure({
    title: 'A list of the service changed each time that it was read',
    exit: 4,
    sentence:
      'the list of the {list} cannot be trusted, after {readings} readings: {problem}; nothing of it was used, read it again at a quieter time',
  }),
  CONNECT_FAILED: failure<Unanswered>({ title: 'No connection to the service', exit: 4 }),
  CONNECT_TIMEOUT: failure<Unanswered>({ title: 'No connection to the service in time', exit: 4 }),
  CERTIFICATE_REFUSED: failure<Unanswered>({ title: 'The certificate of the service is not trusted', exit: 4 }),
  HEADERS_TIMEOUT: failure<Unanswered>({ title: 'No reply of the service in time', exit: 4 }),
  BODY_TIMEOUT: failure<Unanswered>({ title: 'A reply of the service began and stopped', exit: 4 }),
  CONNECTION_LOST: failure<Unanswered>({
    title: 'The connection to the service broke before the reply was complete',
    exit: 4,
  }),
};
