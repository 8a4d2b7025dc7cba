/**
 * All errors of a call to the chat service, or of a list of several calls. Branch on class or `code`, never on text.
 * Texts of the service are redacted before they get here (redact.ts).
 */
import { RollcallError } from '../errors/rollcall-error.ts';
import type { Rate } from './rate-headers.ts';

export type TransportCode =
  | 'CONNECT_FAILED' // no connection: name not found, refused, no TLS
  | 'CONNECT_TIMEOUT'
  | 'CERTIFICATE_REFUSED' // a server answers, but cannot prove that it is the service
  | 'HEADERS_TIMEOUT' // sent, and no reply began
  | 'BODY_TIMEOUT' // a reply began and stopped
  | 'CONNECTION_LOST'; // sent, and the connection broke before the reply was complete

/** The call did not get a reply. */
export class TransportFailure extends RollcallError {
  declare readonly code: TransportCode;
  /** Whether the request had left, so that the service may have acted on it. */
  readonly maybeCarriedOut: boolean;

  constructor(code: TransportCode, message: string, maybeCarriedOut: boolean, cause: unknown, remedy?: string) {
    super(code, { what: message, remedy }, { cause });
    this.maybeCarriedOut = maybeCarriedOut;
  }
}

/** A reply came, and it is a refusal: of the service, or of something between us and the service. */
export class ServiceRefusal extends RollcallError {
  declare readonly code: 'REFUSED';
  readonly httpStatus: number;
  /** The service's own error code, such as ERR_GUID_NOT_FOUND; null when the reply has none. */
  readonly serviceCode: string | null;
  /** The service's own words; empty when it gave none. */
  readonly serviceMessage: string;
  readonly rate: Rate;
  /** The service's id of the request; null if the reply has none. */
  readonly requestId: string | null;
  /** Description of a reply that is probably not the service's: `a web page "Access denied"`; else null. */
  readonly foreign: string | null;
  /** An error that came with a status of success: the call may have been carried out. */
  readonly doubtful: boolean;

  constructor(reply: {
    httpStatus: number;
    serviceCode: string | null;
    serviceMessage: string;
    rate: Rate;
    foreign?: string | null;
    requestId?: string | null;
    doubtful?: boolean;
  }) {
    const { httpStatus, serviceCode, serviceMessage, rate, foreign = null, requestId = null, doubtful = false } = reply;
    super('REFUSED', {
      what:
        foreign === null
          ? `the chat service refused the call: HTTP ${httpStatus}, ${serviceCode ?? 'no error code'}: ${serviceMessage || 'no message'}`
          : `something other than the chat service answered the call: HTTP ${httpStatus}, ${foreign}`,
    });
    this.foreign = foreign;
    this.doubtful = doubtful;
    this.requestId = requestId;
    this.httpStatus = httpStatus;
    this.serviceCode = serviceCode;
    this.serviceMessage = serviceMessage;
    this.rate = rate;
  }
}

/** Something replied with success, and it cannot be read: the call may have been carried out. */
export class MalformedReply extends RollcallError {
  declare readonly code: 'MALFORMED_REPLY';
  /** Null when the reply is not even HTTP. */
  readonly httpStatus: number | null;
  readonly maybeCarriedOut = true;

  // No cause: the errors of JSON.parse and of the schemas quote the reply as it came.
  constructor(message: string, httpStatus: number | null) {
    super('MALFORMED_REPLY', { what: message });
    this.httpStatus = httpStatus;
  }
}

/** The call cannot be sent at all; nothing was sent. */
export class InvalidCall extends RollcallError {
  declare readonly code: 'INVALID_CALL';

  constructor(what: string) {
    super('INVALID_CALL', { what });
  }
}

/** Our side gave the call up: its signal was aborted or the client closed. It says nothing about the batch. */
export class CallAborted extends RollcallError<'ABORTED'> {
  declare readonly code: 'ABORTED';
  /** Whether the request had left, so that the service may have acted on it. */
  readonly maybeCarriedOut: boolean;

  constructor(maybeCarriedOut: boolean, cause: unknown) {
    super('ABORTED', {}, { cause });
    this.maybeCarriedOut = maybeCarriedOut;
  }
}

/** A list was read page by page, and what came does not add up to the whole of it. Nothing of it may be used. */
export class UntrustedListing extends RollcallError<'UNTRUSTED_LISTING'> {
  declare readonly code: 'UNTRUSTED_LISTING';

  /** @param list what is listed, such as `members of group "g1"` */
  constructor(list: string, problem: string, readings: number) {
    super('UNTRUSTED_LISTING', { list, problem, readings });
  }
}
