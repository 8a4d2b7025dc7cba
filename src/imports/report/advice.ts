import { meaningOf } from '../../chat/service/codes.ts';
import { option, type Words, type WriteOption, words, written } from '../../errors/named-options.ts';
import type { Outcome } from '../../membership/outcome.ts';

const UNREACHED =
  'No connection to the service for these rows: check its status page and the network; if nothing ever worked, the app id, region and host. Then import the retry file.';

/** Advice about codes that are not the service's own. */
const BY_CODE: Readonly<Record<string, Words>> = {
  FOUND_IN_GROUP: 'Nothing: this is as it was asked for, probably by an earlier call of this import.',
  USER_DEACTIVATED: words`These users are deactivated: import the retry file with ${option('reactivate')}, or take them out of the file.`,
  NO_NAME: words`Add names to the file, or import the retry file with ${option('userNameFrom', 'uid')} or ${option('groupNameFrom', 'guid')}.`,
  BAD_METADATA: words`Correct the metadata in the file, or leave its column out with ${option('createMap', 'metadata=')}.`,
  FIELD_LIMIT: words`Shorten the values, or leave their column out with ${option('createMap')}, such as avatar=.`,
  BANNED: words`These users are banned from the group, and nothing was sent: import the retry file with ${option('allowUnban')} if they should come back.`,
  CONNECT_FAILED: UNREACHED,
  CONNECT_TIMEOUT: UNREACHED,
  NOT_THE_SERVICE:
    'A proxy, firewall or login page answered in place of the service: check the network and HTTPS_PROXY; then import the retry file.',
  UNKNOWN_SCOPE: words`These rows were not sent: fix the scopes in the file. If the column does not hold scopes at all, import the file again with ${option('map', 'scope=')}, which ignores it.`,
  UNKNOWN_IDENTITY:
    'The identity file does not have these. Fill in the UIDs in unknown-identities.csv, add its lines to the identity file, and import the file again.',
  UNKNOWN_GROUP:
    'The group file does not have these. Fill in the GUIDs in unknown-groups.csv, add its lines to the group file, and import the file again.',
  DERIVED_ID_COLLISION:
    'Different values become the same id. Change the template so that they stay apart, or give an identity file; then import the file again.',
  UNKNOWN_MARK: words`Say what these words mean with ${option('scopeWords')}, such as "leader=moderator,?=none".`,
  FILTERED: 'Nothing: the conditions leave these rows out.',
  LEFT_OUT:
    'You left these rows out. If they should be sent after all, repair them, or correct what their message names and import them as a file: the report with this code has them.',
  LEFT_IN_PLACE: 'The undo leaves these members as they are: its plan says what you can do about each reason.',
  NO_MEMBERSHIP: 'Nothing, if these rows have no group or no user on purpose.',
  CELL_COUNT: 'Look for a missing or additional delimiter or quote in these lines and fix the file.',
};

const BY_OUTCOME: Readonly<Partial<Record<Outcome, string>>> = {
  failed: 'The service refused these rows: correct what its message names, and send only these rows.',
  invalid: 'These rows were not sent: correct their values, and send only these rows.',
  duplicate: 'Nothing: the same membership is in another row, which counts.',
  unconfirmed:
    'The service gave no answer for these rows, so they may have worked: import the retry file to make sure.',
  unprocessed: 'These rows were not sent: import the retry file to send them.',
};

/** Returns the advice for rows with this outcome and code: one or two sentences, '' if there is none. */
export function adviceFor(status: Outcome, code: string, write: WriteOption): string {
  return adviceForCode(code, write) || (BY_OUTCOME[status] ?? '');
}

/** Returns the advice for the code alone; '' if there is none. */
export function adviceForCode(code: string, write: WriteOption): string {
  return written((Object.hasOwn(BY_CODE, code) ? BY_CODE[code] : meaningOf(code)?.advice) ?? '', write);
}
