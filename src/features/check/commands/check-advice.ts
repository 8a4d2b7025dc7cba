import { meaningOf } from '../../../chat/service/codes.ts';
import { asFlag, written } from '../../../errors/named-options.ts';
import { adviceFor } from '../../../imports/report/advice.ts';
import type { CheckSummary } from '../api.ts';

/** Advice about rows that would fail, before anything is sent. */
const BY_CODE: Readonly<Record<string, string>> = {
  USER_DEACTIVATED: 'Import the file with --reactivate, or take these rows out.',
  BANNED: 'Import the file with --allow-unban if these users should come back, or take these rows out.',
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
  const known = Object.hasOwn(BY_CODE, code) ? BY_CODE[code] : meaningOf(code)?.foreseen?.advice;
  if (known !== undefined) return written(known, asFlag);
  if (verdict === 'invalid') return adviceFor('invalid', code, asFlag);
  return 'Check once more; if it happens again, look at check-groups.csv.';
}
