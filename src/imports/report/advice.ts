import { option, type Words, type WriteOption, words, written } from '../../errors/named-options.ts';
import type { Outcome } from '../../membership/outcome.ts';

const UNREACHED =
  'No connection to the service for these rows: check its status page and the network; if nothing ever worked, the app id, region and host. Then import the retry file.';

/** What a person can do about the service's codes, as far as publicly known (docs/chat-service.md, 24 to 37). */
const BY_CODE: Readonly<Record<string, Words>> = {
  ERR_UID_NOT_FOUND: 'Create or reactivate these users, or fix the UIDs in the retry file; then import the retry file.',
  ERR_GUID_NOT_FOUND: 'Create the group or fix its GUID in the retry file; then import the retry file.',
  ERR_ALREADY_JOINED: 'Nothing, unless the scope should change: adding does not change the scope of a member.',
  FOUND_IN_GROUP: 'Nothing: this is as it was asked for, probably by an earlier call of this import.',
  ERR_NOT_A_MEMBER: 'The user has left the group since the plan was made: make a new plan.',
  ERR_GROUP_NOT_JOINED: 'The acting user is not in the group: add that user first, or remove the acting user.',
  ERR_NO_VACANCY: 'The group is full: remove members or move the rest to another group; then import the retry file.',
  ERR_PLAN_QUOTA_RESTRICTION: 'The plan’s limit is reached: raise it or use another group; then import the retry file.',
  ERR_PLAN_RESTRICTION: 'The plan does not include this: change the plan; then import the retry file.',
  USER_DEACTIVATED: words`These users are deactivated: import the retry file with ${option('reactivate')}, or take them out of the file.`,
  NO_NAME: words`Add names to the file, or import the retry file with ${option('userNameFrom', 'uid')} or ${option('groupNameFrom', 'guid')}.`,
  BAD_METADATA: words`Correct the metadata in the file, or leave its column out with ${option('createMap', 'metadata=')}.`,
  FIELD_LIMIT: words`Shorten the values, or leave their column out with ${option('createMap')}, such as avatar=.`,
  ERR_ROLE_NOT_FOUND: 'Create the role in the service’s dashboard, or correct it in the file.',
  ERR_EMPTY_GROUP_PASS: 'A group of this type needs a password: add one to the file, or choose another type.',
  ERR_GROUP_JOIN_NOT_ALLOWED: 'Nobody joins this group by themselves: import the retry file without the acting user.',
  ERR_SUBSCRIPTION_EXPIRED: 'The plan has expired: renew it; then import the retry file.',
  ERR_BANNED_GROUPMEMBER: 'These users are banned from the group: lift the ban first if they should come back.',
  BANNED: words`These users are banned from the group, and nothing was sent: import the retry file with ${option('allowUnban')} if they should come back.`,
  ERR_BAD_REQUEST:
    'The service did not accept these values: compare them with the message and fix them in the retry file.',
  ERR_TOO_MANY_REQUESTS: 'The rate limit was reached: import the retry file with fewer calls a minute.',
  CONNECT_FAILED: UNREACHED,
  CONNECT_TIMEOUT: UNREACHED,
  NOT_THE_SERVICE:
    'A proxy, firewall or login page answered in place of the service: check the network and HTTPS_PROXY; then import the retry file.',
  UNKNOWN_SCOPE: words`These rows were not sent: fix the scopes in the file. If the column does not hold scopes at all, import the file again with ${option('map', 'scope=')}, which ignores it.`,
  UNKNOWN_IDENTITY:
    'The identity file does not have these. Fill in the UIDs in unknown-identities.csv, add its lines to the identity file, and import the file again.',
  DERIVED_ID_COLLISION:
    'Different values become the same id. Change the template so that they stay apart, or give an identity file; then import the file again.',
  UNKNOWN_MARK: words`Say what these words mean with ${option('scopeWords')}, such as "leader=moderator,?=none".`,
  FILTERED: 'Nothing: the conditions leave these rows out.',
  LEFT_OUT:
    'You left these rows out. If they should be sent after all, correct what their message names, and import them as a file: the report with this code has them.',
  LEFT_IN_PLACE: 'The undo leaves these members as they are: its plan says what you can do about each reason.',
  NO_MEMBERSHIP: 'Nothing, if these rows have no group or no user on purpose.',
  CELL_COUNT: 'Look for a missing or additional delimiter or quote in these lines and fix the file.',
};

const BY_PREFIX: readonly (readonly [string, string])[] = [
  ['AUTH_ERR_', 'The API key or app was refused: check the region’s key (it needs full access) and app id.'],
  ['ERR_GROUP_NO_', 'The acting user may not do this in the group: choose another acting user or remove it.'],
];

const BY_OUTCOME: Readonly<Partial<Record<Outcome, string>>> = {
  failed: 'The service refused these rows: correct what its message names, and send only these rows.',
  invalid: 'These rows were not sent: correct their values, and send only these rows.',
  duplicate: 'Nothing: the same membership is in another row, which counts.',
  unconfirmed:
    'The service gave no answer for these rows, so they may have worked: import the retry file to make sure.',
  unprocessed: 'These rows were not sent: import the retry file to send them.',
};

/** What to do about rows with this outcome and code: one or two sentences, '' where there is nothing to say. */
export function adviceFor(status: Outcome, code: string, write: WriteOption): string {
  return adviceForCode(code, write) || (BY_OUTCOME[status] ?? '');
}

/** What the code alone says about what to do; '' where it says nothing. */
export function adviceForCode(code: string, write: WriteOption): string {
  const byCode = Object.hasOwn(BY_CODE, code) ? BY_CODE[code] : undefined;
  return written(byCode ?? BY_PREFIX.find(([prefix]) => code.startsWith(prefix))?.[1] ?? '', write);
}
