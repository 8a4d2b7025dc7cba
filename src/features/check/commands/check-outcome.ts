import { existsSync } from 'node:fs';
import type { ImportView } from '../../../api/imports.ts';
import { meaningOf } from '../../../chat/service/codes.ts';
import type { Imports } from '../../../cli/client/imports.ts';
import { unless } from '../../../cli/client/operation-client.ts';
import { EXIT } from '../../../cli/exit-codes.ts';
import { type Io, print, printJson, say } from '../../../cli/screen/io.ts';
import { asFlag, written } from '../../../errors/named-options.ts';
import { checkFiles } from '../../../imports/predictions/row-check.ts';
import { adviceFor } from '../../../imports/report/verdict.ts';
import { groupsFound, usersFound, VERDICT_LABELS, VERDICTS } from '../../../membership/check-words.ts';
import { madeText, messagesSentence, waysSentences } from '../../../membership/outcome-words.ts';
import type { Config } from '../../../platform/config.ts';
import { counted, duration, grouped, printable, roughly, sumOf } from '../../../text/wording.ts';
import type { CheckSummary, CheckView } from '../operations.ts';

export interface Checked extends CheckView {
  /** The files with every row and every group. */
  readonly files: readonly string[];
}

/** Prints the result of a check and the next steps; returns its exit code. @param checked undefined: it was interrupted before it began */
export function concludeCheck(
  io: Io,
  imports: Imports,
  { id, sandbox }: Pick<ImportView, 'id' | 'sandbox'>,
  checked: Checked | undefined,
  json = false,
) {
  const where = sandbox ? ' --sandbox' : '';
  const { state = 'running', reason = '', calls = 0, summary = null, files = [] } = checked ?? {};
  if (summary === null) {
    if (json) printJson(io, { id, state, reason, calls });
    const howToContinue = (flags: string) => ['Continue with:', `  ${imports.command('check', id)}${flags}${where}`];
    if (state === 'priced') say(io, '', `Not checked to the end: ${reason}.`, ...howToContinue(' --yes'));
    else if (state === 'stopped')
      say(io, '', `Stopped: ${reason}.`, 'When it is fixed:', ...howToContinue('').slice(1));
    else say(io, '', 'Interrupted: nothing was sent, and what is known is kept.', ...howToContinue(''));
    return state === 'running' ? EXIT.interrupted : EXIT.stopped;
  }
  if (json) printJson(io, summary);
  else print(io, `\n${checkText(summary)}`);
  say(io, '', 'Every row and every group:', ...files.map((file) => `  ${file}`));
  const resume = `  ${imports.command('resume', id)}${allowed(summary)}${where}`;
  const { fail } = summary.rows;
  say(io, 'Nothing was sent. To send the rows that were checked:', resume);
  if (fail > 0) {
    say(io, `To send all but ${counted(fail, 'row')} that would fail:`, `${resume} --leave-out-failing`);
    const report = `${imports.command('report', id, '--code', 'LEFT_OUT')} > rows.csv`;
    const edits = `${imports.command('retry', id, '--edits', 'rows.csv')}${where}`;
    say(io, 'and then those, corrected in rows.csv:', `  ${report}`, `  ${edits}`);
  }
  return summary.wouldFail ? EXIT.rowsFailed : EXIT.ok;
}

function checkText(summary: CheckSummary) {
  const { rows, problems, groups, users, calls, messages, ways, notes, create, sentFirst } = summary;
  const counts = VERDICTS.filter((verdict) => rows[verdict] > 0);
  const width = Math.max(...counts.map((verdict) => grouped(rows[verdict]).length), 1);
  const lines = [
    `check of ${printable(summary.file)}: ${counted(rows.read, 'row')}`,
    ...counts.flatMap((verdict) => [
      `  ${grouped(rows[verdict]).padStart(width)}  ${VERDICT_LABELS[verdict]}`,
      ...problems
        .filter((problem) => problem.verdict === verdict)
        .flatMap((problem) => problemLines(problem).map((line) => `  ${''.padStart(width)}    ${line}`)),
      ...(verdict === 'create' ? (create?.rows ?? []) : []).map(
        ({ rows: n, reason }) => `  ${''.padStart(width)}    ${grouped(n)}: ${reason}`,
      ),
    ]),
    '',
    `groups  ${groupsFound(summary)}`,
    `users   ${usersFound(summary)}`,
    ...(create === null ? [] : creating(create)),
    groups.full > 0 &&
      `${counted(groups.full, 'group')} would have more members than the service allows: no room for ${counted(groups.rowsWithoutRoom, 'row')}`,
    users.inTooManyGroups > 0 &&
      `${counted(users.inTooManyGroups, 'user')} would be in more groups than the service allows`,
    '',
    `The check took ${counted(calls.check, 'call')}. ${sending(summary)}`,
    messages.count > 0 && ways === null && messagesSentence({ messages: messages.count, groups: messages.groups }),
    ways !== null && waysSentences(ways, messages.groups),
    sentFirst !== null && `${counted(sentFirst, 'row')} will be sent first; the others wait until you resume again.`,
    ...notes.map((note) => `Note: ${printable(note)}.`),
  ];
  return `${lines.filter((line) => line !== false).join('\n')}\n`;
}

/** Returns the flags that allow the import's creations, if the columns of the file are right. */
function allowed({ create }: CheckSummary) {
  const over = create?.over.map(({ kind, missing }) => `${kind}s=${missing}`) ?? [];
  return over.length === 0 ? '' : ` --max-create ${over.join(',')}`;
}

function problemLines(problem: CheckSummary['problems'][number]) {
  const { rows, code, reason, first } = problem;
  const who = [first.uid, first.guid].filter(Boolean).map(printable);
  const place = `row ${grouped(first.row)}${who.length === 0 ? '' : ` (${who.join(' in ')})`}`;
  const advice = checkAdvice(problem);
  return [
    `${grouped(rows)}: ${printable(reason)}${code === '' ? '' : ` (${code})`}; ${rows === 1 ? 'in' : 'first in'} ${place}`,
    ...(advice === '' ? [] : [`${' '.repeat(grouped(rows).length)}  ${advice}`]),
  ];
}

/** Returns the lines about creations; if there are more than allowed, in the report's words with the remedy. */
function creating(create: NonNullable<CheckSummary['create']>) {
  const { reactivated, over } = create;
  const made = madeText(create);
  return [
    ...(made === '' ? [] : [`created first: ${made}`]),
    ...(reactivated > 0 ? [`made active again: ${counted(reactivated, 'user')}`] : []),
    ...over.map(
      ({ kind, missing, limit }) =>
        `${counted(missing, kind)} would have to be created${kind === 'user' ? ' or made active again' : ''}, and only ${grouped(limit)} may be: the import would wait. First make sure that the columns of the file are right.`,
    ),
  ];
}

function sending({ calls: { send }, sendingMs, callsPerMinute, callMs }: CheckSummary) {
  const calls = sumOf(Object.values(send));
  if (calls === 0) return 'There is nothing to send.';
  const fastEnough =
    callMs === null
      ? 'if the service answers fast enough, which is not known yet'
      : `if its calls take as long as those before, ${duration(callMs)} each`;
  return `Sending takes at least ${counted(calls, 'call')}, ${roughly(sendingMs)} at up to ${grouped(callsPerMinute)} calls a minute, ${fastEnough}.`;
}

/** Advice about rows that would fail, before anything is sent. */
const BY_CODE: Readonly<Record<string, string>> = {
  USER_DEACTIVATED: 'Import the file with --reactivate, or take these rows out.',
  BANNED: 'Import the file with --allow-unban if these users should come back, or take these rows out.',
  ACTING_USER_NOT_FOUND: 'Fix the acting user, or leave it out.',
  NO_NAME: 'Add names to the file, or import it with --user-name-from uid or --group-name-from guid.',
  BAD_METADATA: 'Fix the metadata in the file, or ignore the column with --create-map metadata=.',
  FIELD_LIMIT: 'Shorten the values in the file, or ignore their column with --create-map, such as avatar=.',
  GROUP_OWNER_NOT_FOUND:
    'Fix the owner or acting user, create this user first, or import the file with --create-users.',
  NEW_USER: 'Import the rows that add these users first, then these.',
  NEW_GROUP: 'Import the rows that create the group first, then these.',
  ACTING_USER_MOVES: 'Import the rows about the acting user first, then these.',
  ACTING_SCOPE: 'Let an admin of the group act, or import the file: rows that are refused fail alone.',
  SELF_ACTION: 'Leave the acting user out, or import the file: rows that are refused fail alone.',
  OWNER: 'Leave this row out, or import the file: rows that are refused fail alone.',
};

/** One or two sentences for rows of a check; '' where there is nothing to say. */
function checkAdvice({ verdict, code }: CheckSummary['problems'][number]) {
  const known = Object.hasOwn(BY_CODE, code) ? BY_CODE[code] : meaningOf(code)?.foreseen?.advice;
  if (known !== undefined) return written(known, asFlag);
  if (verdict === 'invalid') return adviceFor('invalid', code, asFlag);
  return 'Check once more; if it happens again, look at check-groups.csv.';
}

export async function checkedOf(
  { dir }: Config,
  { server, regions }: Imports,
  id: string,
): Promise<Checked | undefined> {
  const { check, rows, groups } = checkFiles(dir.folder(id));
  // The rest is loaded for imports that were checked: most were not.
  if (server === undefined && !existsSync(check)) return undefined;
  const [{ checkIn }, { checkOperations }] = await Promise.all([
    import('../check-view.ts'),
    import('../operations.ts'),
  ]);
  const found = server === undefined ? checkIn(dir, id) : server.call(checkOperations.one, { id });
  const view = await unless('NO_CHECK_YET', found);
  if (view === undefined) return undefined;
  if (server !== undefined) {
    const address = (list: string) => `${server.url}/v1/imports/${encodeURIComponent(id)}/check/${list}`;
    return { ...view, files: [address('rows'), address('groups')] };
  }
  // Only the process that makes it knows more.
  const underWay = view.state === 'running' && (await regions()) !== undefined;
  return { ...view, underWay, files: [rows, groups] };
}
