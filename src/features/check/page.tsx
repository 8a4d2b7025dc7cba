/** The result of a check before anything is sent: the rows that would fail, and the work of sending. */

import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { atLeast } from '../../console/format.ts';
import { Actions } from '../../console/kit/actions.tsx';
import { ErrorNotice, Facts, foreign } from '../../console/kit/elements.tsx';
import { usePlace } from '../../console/place.ts';
import { addressOf, call } from '../../console/requests.ts';
import { useAnswer } from '../../console/use-answer.ts';
import { Download } from '../../console/view/import/downloads.tsx';
import { type RowsWanted, rowsHref, TO_CORRECT } from '../../console/view/import/rows-wanted.tsx';
import { groupsFound, usersFound, VERDICT_LABELS, VERDICTS } from '../../membership/check-words.ts';
import { madeText, waysSentences } from '../../membership/outcome-words.ts';
import { counted, grouped, sumOf } from '../../text/wording.ts';
import type { CheckSummary, CheckView } from './operations.ts';

/** Period of looks, because events may be missed, in ms. */
const ASK_EVERY_MS = 3000;

/** @param reload asks for the import again @param hasCheck the service was asked before */
export function useCheck(id: string, reload: () => unknown, hasCheck: boolean) {
  const isAsked = useSignal(hasCheck);
  const {
    data: check,
    error,
    set,
  } = useAnswer(isAsked.value ? addressOf('GET /v1/imports/:id/check', { id }) : null, {
    everyMs: (known) => (known?.underWay === false ? undefined : ASK_EVERY_MS),
    news: ['check'],
    concerns: (told) => told.id === id,
  });
  const start = async (signal: AbortSignal, maxCalls?: number) => {
    set(await call('POST /v1/imports/:id/check', { id, query: { maxCalls } }, signal));
    isAsked.value = true;
  };
  const checkedAt = check?.summary?.checkedAt;
  // The sentence about its rows says what was found.
  useEffect(() => {
    if (checkedAt !== undefined) void reload();
  }, [checkedAt]);
  return { check, error, start, isAsked: isAsked.value };
}

export function ImportCheck({
  id,
  filter,
  checking: { check, error, start, isAsked },
}: {
  id: string;
  filter: RowsWanted;
  checking: ReturnType<typeof useCheck>;
}) {
  const { isOperator } = usePlace();
  if (error !== undefined && check === undefined) return <ErrorNotice error={error} />;
  const price = check?.state === 'priced' ? priceOf(check) : undefined;
  const mayAsk = isOperator && check?.underWay !== true && (check !== undefined || !isAsked);
  return (
    <>
      {!isAsked && (
        <p>
          {isOperator ? 'Ask the service' : 'An operator can ask the service'} which groups and users exist, who is a
          member already, and which rows would fail. Nothing is changed.
        </p>
      )}
      <p role="status">{check !== undefined && check.state !== 'done' && checkSentence(check)}</p>
      {check?.underWay === true && <CheckProgress check={check} />}
      {check?.summary && <CheckResult id={id} summary={check.summary} filter={filter} />}
      {mayAsk && (
        <Actions
          list={[
            {
              text:
                check === undefined
                  ? 'Check with the service'
                  : price !== undefined
                    ? `Make ${counted(price, 'call')} and check`
                    : check.state === 'done'
                      ? 'Check again'
                      : 'Continue the check',
              act: (signal) => start(signal, price === undefined ? undefined : Math.max(1, price)),
            },
          ]}
        />
      )}
    </>
  );
}

/** Calls that are still to be made, all regions together. */
function priceOf({ price }: CheckView) {
  return sumOf(Object.values(price ?? {}));
}

function checkSentence(check: CheckView) {
  const { state, underWay, reason, calls } = check;
  if (underWay) return 'The service is being asked. Nothing is changed.';
  if (state === 'priced') {
    return `${counted(calls, 'call')} made so far. The whole check takes up to ${counted(priceOf(check), 'more call')}; they count towards your rate limit.`;
  }
  if (state === 'stopped') return `The check stopped: ${reason}.`;
  return 'The check was interrupted. It continues where it was.';
}

function CheckProgress({ check: { progress, calls } }: { check: CheckView }) {
  const value = progress?.of ? progress.done / progress.of : undefined;
  return (
    <>
      <progress max={1} value={value} aria-label="Check" />
      <p class="note">
        {progress === null
          ? ''
          : `${grouped(progress.done)}${value === undefined ? '' : ` of ${grouped(progress.of ?? 0)}`} ${progress.step}, `}
        {counted(calls, 'call')}
      </p>
    </>
  );
}

/** The users and groups without which rows would fail, and the choices that create them; undefined if there is nothing to decide. */
export function creatingMissing(summary: CheckSummary | null | undefined) {
  if (summary === null || summary === undefined) return undefined;
  const { users, groups, create } = summary;
  const what = madeText({ users: users.unknown, groups: groups.missing });
  // If the import may create already, the missing ones are created when it is sent.
  if (create !== null || what === '') return undefined;
  return {
    what,
    choices: {
      ...(users.unknown > 0 && { createUsers: 'true', userNameFrom: 'uid' }),
      ...(groups.missing > 0 && { createGroups: 'true', groupNameFrom: 'guid' }),
      maxCreate: `users=${users.unknown},groups=${groups.missing}`,
    },
  };
}

function rowsWith({ verdict, code }: CheckSummary['problems'][number]) {
  if (verdict === 'invalid') return { status: 'invalid', code, ...TO_CORRECT };
  const check = code === '' ? verdict : `${verdict}:${code}`;
  return verdict === 'fail' ? { check, ...TO_CORRECT } : { check };
}

interface ResultProperties {
  id: string;
  summary: CheckSummary;
  filter: RowsWanted;
}

function CheckResult({ id, summary, filter }: ResultProperties) {
  const { rows, groups, messages, ways, sendingMs, callMs, calls } = summary;
  return (
    <div class="check-result">
      <div>
        {/* The headline says how many would fail. */}
        {rows.fail + rows.invalid === 0 && (
          <p class={summary.wouldFail ? 'attention' : ''}>
            {summary.wouldFail
              ? 'Not everything could be checked, or a group would be too large.'
              : `No problem was found in ${counted(rows.read, 'row')}.`}
          </p>
        )}
        <Facts list={VERDICTS.map((verdict) => [VERDICT_LABELS[verdict], rows[verdict]] as const)} />
        <CheckProblems id={id} summary={summary} filter={filter} />
      </div>
      <div>
        <h3>Groups and users</h3>
        <Facts
          list={[
            ['Groups', groupsFound(summary)],
            ['Groups too large', groups.full],
            ['Users', usersFound(summary)],
          ]}
        />
      </div>
      <div>
        <h3>What sending takes</h3>
        <Facts
          list={[
            [
              'Calls',
              `at least ${grouped(sumOf(Object.values(calls.send)))}, with those that prepare groups and users`,
            ],
            ['Time', atLeast(sendingMs, callMs)],
            ['Messages in groups', `${grouped(messages.count)} in ${counted(messages.groups, 'group')}`],
            ['Both ways', ways !== null && waysSentences(ways)],
            ['Calls of this check', grouped(calls.check)],
          ]}
        />
      </div>
      {summary.notes.map((note) => (
        <p key={note} class="note">
          {foreign(note)}
        </p>
      ))}
      <ul class="downloads plain lined">
        <Download
          name="Every row"
          links={[{ text: 'CSV', href: addressOf('GET /v1/imports/:id/check/rows', { id }) }]}
        />
        <Download
          name="Every group"
          links={[{ text: 'CSV', href: addressOf('GET /v1/imports/:id/check/groups', { id }) }]}
        />
      </ul>
    </div>
  );
}

function CheckProblems({ id, summary: { problems }, filter }: ResultProperties) {
  if (problems.length === 0) return null;
  return (
    <>
      <h3>Problems</h3>
      <ul class="plain col">
        {problems.map((problem) => {
          const { verdict, code, rows: count, reason } = problem;
          return (
            <li key={`${verdict} ${code}`}>
              <b>{counted(count, 'row')}:</b> {foreign(reason)} <code>{code}</code> ·{' '}
              <a
                href={rowsHref(id, rowsWith(problem))}
                aria-label={`Show ${counted(count, 'row')}: ${reason}`}
                onClick={(event) => {
                  event.preventDefault();
                  filter.chooseAlone(rowsWith(problem));
                }}
              >
                Show {counted(count, 'row')}
              </a>
            </li>
          );
        })}
      </ul>
    </>
  );
}
