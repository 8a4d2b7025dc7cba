import { asClause, counted, grouped, utcTime } from '../text/wording.ts';
import { failure, refusal, type Said } from './entry.ts';
import { option, words } from './named-options.ts';

const SEE_LIST = 'It may have been deleted; the list shows those that there are.';

const LOOK_AGAIN = 'Something may have changed meanwhile: look at it as it is now.';

/** Imports, syncs, schedules, checks, exports and recipes that cannot do what they are asked for. */
export const WORK_ERRORS = {
  UNKNOWN_IMPORT: refusal({
    title: 'No import has this id',
    cause: 'It is mistyped, or the import was deleted, by a person or by `--keep`.',
    status: 404,
    sentence: 'no import has the id {"id"}',
    advice: 'GET /v1/imports lists those that there are; old ones may have been removed.',
    command: '`rollcall list` shows those that there are',
    page: SEE_LIST,
  }),
  UNKNOWN_SYNC: refusal({
    title: 'No sync has this id',
    cause: 'The id is mistyped, or belongs to another data directory.',
    status: 404,
    sentence: 'no sync has the id {"id"}',
    advice: 'GET /v1/syncs lists those that there are.',
    command: '`rollcall sync list` shows those that there are',
    page: SEE_LIST,
  }),
  UNKNOWN_EXPORT: refusal({
    title: 'No export has this id',
    cause: 'The id is misspelt, or the export was deleted, by an operator or by `--keep`.',
    status: 404,
    sentence: 'no export has the id {"id"}',
    advice: 'GET /v1/exports lists those that there are; old ones may have been removed.',
    command: 'an export that was completed is removed once its files are written; begin a new one',
    page: SEE_LIST,
  }),
  UNKNOWN_SCHEDULE: refusal({
    title: 'No schedule has this name',
    cause:
      'The name is mistyped, or the schedule was removed. `POST /v1/schedules`, the console or `rollcall schedule add` makes one.',
    status: 404,
    sentence: 'no schedule is named {"name"}',
    advice: 'GET /v1/schedules lists those that there are.',
    command: '`rollcall schedule list` shows those that there are',
    page: SEE_LIST,
  }),
  UNKNOWN_RECIPE: refusal({
    title: 'No recipe has this name',
    cause: 'A typing mistake, or the recipe was saved in another data directory or has been deleted.',
    status: 404,
    sentence: 'no recipe has the name {"name"}; there are {names}',
    advice: 'GET /v1/recipes lists those that there are.',
    command: '`rollcall recipes` describes them',
    page: SEE_LIST,
  }),
  NO_IMPORTS: failure({
    title: 'There is no import yet',
    sentence: 'there are no imports {where}',
    remedy: ({ server }) =>
      `start one with \`rollcall import <file>\`, or name another ${server === undefined ? 'directory with --data-dir' : 'server with --server'}`,
  }),
  WRONG_STATE: refusal({
    title: 'It is in a state that does not allow this',
    cause:
      'A finished import cannot be paused, a running one cannot be deleted or undone, one without failed rows cannot be retried; a schedule that is running cannot be run a second time.',
    status: 409,
    advice: 'Do one of `possible`, or wait until the state has changed.',
    api: ({ possible = [] }: Said) => (possible.length > 0 ? undefined : LOOK_AGAIN),
    page: LOOK_AGAIN,
  }),
  NOTHING_TO_SEND: refusal({
    title: 'The import has nothing to send again',
    cause: 'No row of it can be sent again, or they were corrected or sent in another import.',
    status: 409,
    sentence: 'import {id} is {state} and {why}',
    advice: 'Look at its rows: none of them can be sent again.',
  }),
  SYNC_HELD: refusal({
    title: 'A guard holds the sync',
    cause: 'It cannot be applied; it must be approved or rejected first.',
    status: 409,
    exit: 3,
    sentence: ({ id, reason }: Record<'id' | 'reason', string> & { readonly possible?: readonly string[] }) =>
      `sync ${id} is held: ${asClause(reason)}`,
    advice: 'Look at its plan, then approve or reject it.',
    command: 'look at it with `rollcall sync show {id}`, and approve it with `rollcall sync approve {id} --reason "…"`',
  }),
  CANNOT_UNDO: refusal({
    title: 'The import cannot be undone',
    cause: 'It has not finished, nothing of it was sent, or it was removed.',
    status: 409,
    sentence: 'import {importId} cannot be undone: {why}',
    advice: 'Look at its state; an import that has finished and sent something can be undone.',
    command: ({ importId, possible }) =>
      possible === undefined
        ? undefined
        : `finish it with \`rollcall resume ${importId}\`, or end it with \`rollcall cancel ${importId}\``,
  }),
  CANNOT_CHECK: refusal({
    title: 'The import cannot be checked',
    cause: 'A sync made it, and has compared it with the service already.',
    status: 409,
    sentence: 'import {id} cannot be checked: {why}',
    advice: 'Look at the plan of the sync.',
  }),
  NO_CHECK_YET: refusal({
    title: 'There is no check of the import',
    cause:
      'None was started, it is under way, it waits for more calls to be allowed, or the service refused the questions; `GET /v1/imports/{id}/check` says which. Rows are left out (`leaveOutFailing`) only by a check that was made with the options for creating and bans with which the import would be sent.',
    status: 409,
    sentence: 'import {id} {why}',
    advice: 'Begin one with POST /v1/imports/{id}/check, and wait until its state is `done`.',
    command: '`rollcall check <id>` begins one, or continues it',
    page: 'Press “Check with the service”, and wait until the check is done.',
  }),
  CANNOT_CORRECT: refusal({
    title: 'An edit cannot be made',
    cause: 'It names a row or column that is not there to correct, or too many; or the rows were edited meanwhile.',
    status: 409,
    advice: 'Look at the rows as they are now.',
  }),
  CALLS_USED_UP: failure<
    Said & {
      /** Calls that are still to be made, by region, at most; null where that is not known. */
      readonly price: Readonly<Record<string, number>> | null;
    }
  >({
    title: 'More calls to read the service are needed than are allowed',
    cause: 'A check, an export or a sync needs more than `--max-calls` allows; nothing was changed.',
    exit: 3,
    remedy: words`allow more with ${option('maxCalls')}`,
  }),
  CREATES_NOTHING: refusal({
    title: 'The import creates nothing',
    cause: '`--max-create` was given, and there is no limit to raise.',
    status: 409,
    advice: 'Import its file again with `createUsers` or `createGroups`.',
    sentence: 'import {id} creates nothing, so there is no limit to raise',
    remedy: words`import its file again with ${option('createUsers')} or ${option('createGroups')}`,
  }),
  CREATE_WITHOUT_NAME: refusal({
    title: 'No column has names for the users or groups to create',
    status: 409,
    advice: 'Map a column that has the names, or let the ids be used as names.',
  }),
  REGION_WITHOUT_APP: refusal({
    title: 'A region has no app',
    cause: 'Rows or groups are in a region whose app id and key are not set.',
    status: 409,
    sentence: ({
      regions,
      of,
    }: {
      readonly regions: readonly string[];
      /** These are in the regions. */
      readonly of?: 'rows' | 'groups';
      readonly id?: string;
      readonly possible?: readonly string[];
      readonly field?: string;
    }) => {
      const [noun, verb] = regions.length === 1 ? ['region', 'has'] : ['regions', 'have'];
      const named = `${noun} ${regions.join(' and ')}`;
      if (of === undefined) return `${named} ${verb} no app here`;
      return `${of === 'rows' ? 'rows are for' : 'groups are in'} ${named}, which ${verb} no app`;
    },
    advice: "Set the region's app id and key, start the server again, and resume the import.",
    command: ({ regions, of }) => {
      const names = regions.map((region) => region.toUpperCase());
      const settings = names.map((name) => `ROLLCALL_${name}_APP_ID and ROLLCALL_${name}_API_KEY`).join(', ');
      return `set ${settings}${of === undefined ? '' : of === 'rows' ? ', then resume the import' : ', and sync again'}`;
    },
  }),
  TOO_MANY_REMOVALS: refusal({
    title: 'A file of changes removes or bans more members than it may',
    cause: 'More rows than `maxRemovals` (100 by default) remove or ban a member; nothing of it was sent.',
    status: 409,
    exit: 3,
    advice: 'Look at its report. If it is right, resume it with `maxRemovals`; if not, cancel it.',
    sentence: ({ removals, allowed }: Record<'id', string> & { readonly removals: number; readonly allowed: number }) =>
      `${counted(removals, 'row')} remove or ban members, and ${grouped(allowed)} may`,
    remedy: ({ removals }) =>
      words`look at its report; if it is right, resume it with ${option('maxRemovals', String(removals))}`,
  }),
  WRONG_TARGET: refusal({
    title: 'It belongs to another target',
    cause:
      'The import, sync, schedule or export was begun for another host or app id than this process sends to, or for the sandbox and not for the service, or the reverse.',
    status: 409,
    advice: 'Continue it on a server with the settings that it was begun with, or begin it again.',
  }),
  EDITED_MEANWHILE: refusal({
    title: 'The schedule was edited meanwhile',
    cause: "`version` is not the schedule's version any more: another person has edited it. Nothing was changed.",
    status: 409,
    advice: 'Look at its settings as they are now, and make your change to them, with its `version`.',
    sentence: 'schedule {name} was edited meanwhile: it has version {version}, and not {given}',
    remedy: 'look at its settings as they are now, and make your change to them',
  }),
  SCHEDULE_RUNNING: refusal({
    title: 'The schedule is not over with a run',
    cause: 'It cannot be run a second time before.',
    status: 409,
    sentence: ({
      name,
      dueAt,
      reason,
    }: Record<'name' | 'reason', string> & { readonly dueAt: string | number; readonly syncId: string | null }) =>
      `schedule ${name} is not over with its run of ${utcTime(dueAt)}: ${reason}`,
    advice: 'Wait until it is over.',
    command: ({ syncId }) =>
      syncId === null ? undefined : `if no process is running it, continue it: rollcall sync apply ${syncId}`,
  }),
  SOURCE_NOT_ALLOWED: refusal({
    title: 'The server does not let schedules read this',
    cause:
      '`ROLLCALL_SOURCES` is not set, or the file is not in or below one of its folders and addresses, or a link or a redirect leads elsewhere. On the server’s machine, `rollcall schedule add` takes any file.',
    status: 403,
    field: 'file',
    advice: 'Name a file in or below what ROLLCALL_SOURCES allows; GET /v1/settings lists it as `sources`.',
    page: 'Name a file in or below what the server allows (ROLLCALL_SOURCES).',
  }),
  RECIPE_NEEDS: refusal({
    title: 'The recipe needs more than the file has',
    cause: 'A group, an identity file or a group file, which the export does not have.',
    status: 400,
    advice: 'Give what the recipe needs, or use another one.',
    sentence: 'the recipe {name} needs a value for {field}: {why}',
    remedy: ({ field }) => words`give it with ${option(String(field))}`,
  }),
  BAD_RECIPE: refusal<
    Said & {
      /** The reason why a file is no recipe. It may repeat the content of the file, and is only for people on its machine. */
      readonly why?: string;
    }
  >({
    title: 'The recipe cannot be used',
    cause: 'It cannot be saved, or its file was changed by hand and is wrong.',
    status: 400,
    advice: 'Correct the recipe.',
    field: 'recipe',
  }),
  BAD_PROTECT_FILE: failure({
    title: 'The protect file cannot be used',
    cause: 'It is the file that `--protect` names; nothing is planned without it.',
  }),
  UNKNOWN_SCOPE: failure({
    title: 'The service lists a member with a scope that rollcall does not know',
    exit: 4,
    sentence: 'the service lists {uid} with the scope {"scope"}; known are admin, moderator and participant',
  }),
  TOO_MANY_ROWS: failure({
    title: 'The export has more rows than a worksheet can have',
    sentence: 'a worksheet has room for {max} rows, and there are more',
    remedy: 'take csv or ndjson',
  }),
};
