/** The last of these calls: its code, and the message of one to which no reply came. */
interface LastCall {
  readonly code: string;
  readonly message: string;
}

const NO_REPLY: ReadonlySet<string> = new Set([
  'CONNECT_FAILED',
  'CONNECT_TIMEOUT',
  'HEADERS_TIMEOUT',
  'BODY_TIMEOUT',
  'CONNECTION_LOST',
  'CERTIFICATE_REFUSED',
]);

const CHECK_ADDRESS = 'check app id, region and host, the network and HTTPS_PROXY';

/** Advice about codes that a wrong address explains. */
const ADVICE: Readonly<Record<string, string>> = {
  NOT_THE_SERVICE: `something other than the chat service answers: ${CHECK_ADDRESS}`,
  HTTP_404: `probably it is not the chat service that answers: ${CHECK_ADDRESS}`,
  CERTIFICATE_REFUSED: `the certificate is not trusted: ${CHECK_ADDRESS}, and the CA file of a private authority`,
  MALFORMED_REPLY: `the replies cannot be read: ${CHECK_ADDRESS}`,
};

/**
 * "the service has not answered since 02:14 (CONNECTION_LOST)", or the code with which every call is answered.
 * @param since a time, formatted
 */
export function noAnswerSince({ code }: LastCall, since: string) {
  if (code === '') return `the service has not answered since ${since}`;
  return NO_REPLY.has(code)
    ? `the service has not answered since ${since} (${code})`
    : `every call since ${since} was answered with ${code}`;
}

/** Returns the advice where the address may be wrong, as a clause; '' where waiting helps. */
export function addressAdvice({ code, message }: LastCall) {
  if (code === 'CONNECT_FAILED' && message.includes('ENOTFOUND')) return `no host has this name: ${CHECK_ADDRESS}`;
  return Object.hasOwn(ADVICE, code) ? (ADVICE[code] ?? '') : '';
}
