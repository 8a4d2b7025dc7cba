import { asClause } from '../text/wording.ts';
import { failure } from './entry.ts';

/** Calls to the chat service. */
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
  REFUSED: failure({ title: 'The service refuses a call', exit: 4 }),
  MALFORMED_REPLY: failure({ title: 'A reply of the service cannot be read', exit: 4 }),
  INVALID_CALL: failure({ title: 'A call cannot be sent', exit: 4 }),
  ABORTED: failure<object>({
    title: 'A call was given up by this side',
    exit: 4,
    sentence: () => 'the call was given up by this side',
  }),
  UNTRUSTED_LISTING: failure({
    title: 'A list of the service changed each time that it was read',
    exit: 4,
    sentence: ({ list, problem, readings }: Record<'list' | 'problem', string> & { readonly readings: number }) =>
      `the list of the ${list} cannot be trusted, after ${readings} readings: ${problem}; nothing of it was used, read it again at a quieter time`,
  }),
  CONNECT_FAILED: failure({ title: 'No connection to the service', exit: 4 }),
  CONNECT_TIMEOUT: failure({ title: 'No connection to the service in time', exit: 4 }),
  CERTIFICATE_REFUSED: failure({ title: 'The certificate of the service is not trusted', exit: 4 }),
  HEADERS_TIMEOUT: failure({ title: 'No reply of the service in time', exit: 4 }),
  BODY_TIMEOUT: failure({ title: 'A reply of the service began and stopped', exit: 4 }),
  CONNECTION_LOST: failure({
    title: 'The connection to the service broke before the reply was complete',
    exit: 4,
  }),
};
