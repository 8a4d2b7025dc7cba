/** What to do next after a refusal, for someone who sees pages and not requests. Pure. */
import type { PROBLEMS } from '../api/problems.ts';
import type { Problem } from './answers.ts';
import { withControls } from './option-words.ts';

/** What the API says in general of each code. */
type GeneralRemedy = (typeof PROBLEMS)[keyof typeof PROBLEMS]['remedy'];

const SEE_LIST = 'It may have been deleted; the list shows those that there are.';

/** The same for people, where the API speaks of requests; '' where there is nothing to add. */
const FOR_PEOPLE: Readonly<Partial<Record<GeneralRemedy, string>>> = {
  'Fix what `field` names and send it again.': '',
  'Begin again without a cursor, then pass on `nextCursor` as it came.': 'Load the page again.',
  'Send the file as the body, or as the one part "file" of a form.': 'Look at the file, and choose it again.',
  'Send `Authorization: Bearer <token>`; `rollcall token create` makes one.': 'Log in.',
  'Log in again, or make a new one with `rollcall token create`.':
    'Check that all of it was pasted, or ask an admin for a new one.',
  'Ask an admin for a new one, or make one with `rollcall token create`.': 'Ask an admin for a new one.',
  'GET /v1/tokens lists those that there are; it may be revoked already.': 'It may be revoked already.',
  "Make a token for another admin first; `rollcall token revoke` on the server's machine does it without.":
    'Make a token for another admin first.',
  'Set a receiver first, with PUT /v1/notifications.': 'Set a receiver first.',
  'Use a token of that role, made by `rollcall token create --role operator` or `--role admin`.':
    'Ask one of them, or log in as one.',
  '/docs lists all addresses.': '',
  'GET /v1/imports lists those that there are; old ones may have been removed.': SEE_LIST,
  'GET /v1/imports/:id/rows lists them: `row`, from 1 to the number of rows.': 'The page of the import lists its rows.',
  'GET /v1/syncs lists those that there are.': SEE_LIST,
  'GET /v1/exports lists those that there are; old ones may have been removed.': SEE_LIST,
  'GET /v1/schedules lists those that there are.': SEE_LIST,
  'GET /v1/recipes lists those that there are.': SEE_LIST,
  'Name a file in or below what ROLLCALL_SOURCES allows; GET /v1/settings lists it as `sources`.':
    'Name a file in or below what the server allows (ROLLCALL_SOURCES).',
  'Wait until the file is read (state `staged` or `running`); a rejected file never has rows.':
    'Wait until the file is read; a rejected file never has rows.',
  'Begin one with POST /v1/imports/{id}/check, and wait until its state is `done`.':
    'Press “Check with the service”, and wait until the check is done.',
  'Wait until it is planned (state `planned`, `held` or `unchanged`); a sync that failed has none.':
    'Wait until it is planned; a sync that failed has no plan.',
  'Do one of `possible`, or wait until the state has changed.':
    'Something may have changed meanwhile: look at it as it is now.',
  'Wait for its answer, or repeat the request in a moment.': 'Try again in a moment.',
  'Send text/csv, application/json, application/x-ndjson, application/octet-stream or multipart/form-data; the first four may be gzipped.':
    'Choose another file.',
  'Ask for bytes below the size in Content-Range.': 'Download it again.',
  'Use a new key for another file or other options.': 'Choose the file again.',
  'Wait as long as Retry-After says.': 'Wait a minute, and try again.',
  "Look for `id` in rollcall.log in the server's data directory.":
    'It is in rollcall.log in the server’s data directory.',
  'Send it again after the seconds in Retry-After.': 'Try again in a moment.',
};

/** A refusal as people can use it. */
export function forPeople<P extends Pick<Problem, 'remedy'>>(problem: P): P {
  const remedy = FOR_PEOPLE[problem.remedy as GeneralRemedy];
  return { ...problem, remedy: withControls(remedy ?? problem.remedy ?? '') };
}

/** A refusal as one text. */
export function saidOf(problem: Pick<Problem, 'detail' | 'remedy'>) {
  const { detail, remedy = '' } = forPeople(problem);
  return remedy === '' ? detail : `${detail} ${remedy}`;
}

/** A refusal beside the field that it is about, whose name need not be said again. */
export function saidBeside({ detail, field = '', ...problem }: Pick<Problem, 'detail' | 'remedy' | 'field'>) {
  const named = `${field} is `;
  return saidOf({ ...problem, detail: detail.startsWith(`${named}"`) ? detail.slice(named.length) : detail });
}
