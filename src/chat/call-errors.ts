/** Errors of a call to the service, or of several for a list. Texts of the service are redacted before (redact.ts). */
import { RollcallError } from '../errors/rollcall-error.ts';

/** Codes of calls that did not get a reply. */
export type TransportCode =
  | 'CONNECT_FAILED' // no connection: name not found, refused, no TLS
  | 'CONNECT_TIMEOUT'
  | 'CERTIFICATE_REFUSED' // a server answers, but cannot prove that it is the service
  | 'HEADERS_TIMEOUT' // sent, and no reply began
  | 'BODY_TIMEOUT' // a reply began and stopped
  | 'CONNECTION_LOST'; // sent, and the connection broke before the reply was complete

/**
 * Something replied with success, and it cannot be read: the call may have been carried out. No cause: the errors of JSON.parse
 * and of the schemas quote the reply as it came.
 * @param httpStatus null when the reply is not even HTTP
 */
export function malformedReply(what: string, httpStatus: number | null) {
  return new RollcallError('MALFORMED_REPLY', { what, httpStatus, maybeCarriedOut: true });
}

/** The call cannot be sent at all; nothing was sent. */
export function invalidCall(what: string) {
  return new RollcallError('INVALID_CALL', { what });
}

/** Our side gave the call up: its signal was aborted or the client closed. It says nothing about the batch. */
export function callAborted(maybeCarriedOut: boolean, cause: unknown) {
  return new RollcallError('ABORTED', { maybeCarriedOut }, { cause });
}
