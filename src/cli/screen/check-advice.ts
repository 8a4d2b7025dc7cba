import type { CheckSummary } from '../../api/checks.ts';
import { asFlag } from '../../errors/named-options.ts';
import { adviceFor } from '../../imports/report/advice.ts';

/** What to do about rows that would fail, before anything is sent. */
const BY_CODE: Readonly<Record<string, string>> = {
  ERR_GUID_NOT_FOUND: 'Fix the GUID, create the group first, or import the file with --create-groups.',
  ERR_UID_NOT_FOUND: 'Fix the UID, create the user first, or import the file with --create-users.',
  USER_DEACTIVATED: 'Import the file with --reactivate, or take these rows out.',
  BANNED: 'Import the file with --allow-unban if these users should come back, or take these rows out.',
  ERR_NOT_A_MEMBER: 'Add these users instead of changing their scope, or take these rows out.',
  ERR_GROUP_NOT_JOINED: 'Add the acting user to the group first, or leave the acting user out.',
  ACTING_USER_NOT_FOUND: 'Fix the acting user, or leave it out.',
  NO_NAME: 'Add names to the file, or import it with --user-name-from uid or --group-name-from guid.',
  BAD_METADATA: 'Fix the metadata in the file, or ignore the column with --create-map metadata=.',
  FIELD_LIMIT: 'Shorten the values in the file, or ignore their column with --create-map, such as avatar=.',
  GROUP_OWNER_NOT_FOUND: 'Fix the owner, create this user first, or import the file with --create-users.',
  NEW_USER: 'Import the rows that add these users first, then these.',
  NEW_GROUP: 'Import the rows that create the group first, then these.',
};

/** One or two sentences for rows of a check; '' where there is nothing to say. */
export function checkAdvice({ verdict, code }: CheckSummary['problems'][number]): string {
  if (Object.hasOwn(BY_CODE, code)) return BY_CODE[code] ?? '';
  if (verdict === 'invalid') return adviceFor('invalid', code, asFlag);
  return 'Check once more; if it happens again, look at check-groups.csv.';
}
