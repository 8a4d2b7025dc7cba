/** Problems by code: how many rows, examples, what to do. */
import { useEffect } from 'preact/hooks';
import { completeRetry, NEEDS_ATTENTION, sumOfOutcomes } from '../../../membership/outcome.ts';
import { exampleWords } from '../../../membership/outcome-words.ts';
import { counted, grouped } from '../../../text/wording.ts';
import type { ProblemView } from '../../answers.ts';
import { inPlace, LEFT_OUT } from '../../import-words.ts';
import { Card, foreign, importHref, OutcomeMark, repairHref } from '../../kit/elements.tsx';
import { type Column, List } from '../../kit/list.tsx';
import { withControls } from '../../option-words.ts';
import { isNarrow, usePlace } from '../../place.ts';
import { addressOf, query } from '../../requests.ts';
import { useAnswer } from '../../use-answer.ts';
import type { ImportParts } from './live-import.ts';
import type { RowsWanted } from './rows-wanted.tsx';

/** Further ones are shown when they are asked for: the rows stay in sight. */
const MAX_SHOWN = 6;
const MAX_ON_PHONE = 2;

export function ImportProblems({ view, filter }: ImportParts) {
  const { isOperator } = usePlace();
  const { id, rows, repaired, edited } = view;
  const wrong = sumOfOutcomes(rows) - inPlace(rows);
  const { data, error } = useAnswer(addressOf('GET /v1/imports/:id/problems', { id }), {
    turn: `${view.state} ${wrong} ${repaired} ${edited}`,
  });
  useEffect(() => {
    const problems = data?.problems ?? [];
    filter.codes.value = [...new Set(problems.map(({ code }) => code).filter((code) => code !== ''))];
  }, [data]);
  const retry = completeRetry(view)?.id;
  // Rows that count in another row, or were left out on purpose, are no one's work.
  const all = data?.problems.toSorted((a, b) => Number(isCalm(a)) - Number(isCalm(b)));
  // The card has its place before its rows are there.
  if ((all?.length ?? wrong) === 0) return null;
  return (
    <Card id="problems" title="Problems">
      <List
        class="problems"
        pages={{ items: all, error }}
        caption="Problems by code and column"
        noun="problems"
        most={isNarrow() ? MAX_ON_PHONE : MAX_SHOWN}
        keyOf={({ status, code, column }) => `${status} ${code} ${column ?? ''}`}
        columns={columnsFor(id, filter, isOperator, retry)}
        unfold={(problem) => ({
          label: `All about ${problem.code || problem.status}`,
          content: () => (
            <>
              {examplesOf(problem)}
              <p>{toDo(problem, retry)}</p>
            </>
          ),
        })}
        empty=""
      />
    </Card>
  );
}

/** Whether some of its rows can be repaired, and were not. */
function isToRepair({ status, code, repaired }: ProblemView) {
  return (status === 'invalid' || status === 'failed' || code === LEFT_OUT) && repaired?.left !== 0;
}

function isCalm({ status }: ProblemView) {
  return !NEEDS_ATTENTION.has(status);
}

/** @param retry that took all rows that could be sent again */
function columnsFor(id: string, filter: RowsWanted, isOperator: boolean, retry?: string): Column<ProblemView>[] {
  return [
    { label: 'Rows', kind: 'number', cell: ({ count }) => grouped(count) },
    {
      label: 'Problem',
      kind: 'main',
      cell: ({ status, code, column, ...found }) => (
        <>
          <OutcomeMark outcome={status} />
          {code !== '' && <code>{code}</code>}
          {column !== undefined && <> in {foreign(column)}</>}
          {examplesOf(found)}
        </>
      ),
    },
    {
      label: 'What to do',
      kind: 'wide',
      cell: (problem) => toDo(problem, retry),
    },
    {
      label: 'Show',
      cell: (problem) => {
        const { status, code, column: problemColumn, count, repaired } = problem;
        const isRetried = problem.retryable && retry !== undefined;
        return (
          <>
            <a
              href={`${importHref(id)}${query({ status, code, problemColumn })}#rows`}
              onClick={(event) => {
                event.preventDefault();
                filter.chooseAlone({ status, code, ...(problemColumn !== undefined && { problemColumn }) });
              }}
            >
              Show {counted(count, 'row')}
            </a>
            {!isRetried && repaired !== undefined && repaired.ready > 0 && (
              <>
                {' '}
                <a href={repairHref(id, problem, 'ready')} aria-label={`Send ${code}`}>
                  Send
                </a>
              </>
            )}
            {!isRetried && isOperator && isToRepair(problem) && (
              <>
                {' '}
                <a href={repairHref(id, problem)} aria-label={`Repair ${code}`}>
                  Repair
                </a>
              </>
            )}
          </>
        );
      },
    },
  ];
}

function examplesOf(found: Parameters<typeof exampleWords>[0]) {
  return exampleWords(found).map((words, at) => (
    <p key={at} class="note">
      {at === 0 && 'For example '}
      {foreign(words)}
    </p>
  ));
}

/** @param retry that took all rows that could be sent again */
function toDo({ retryable, advice, repaired }: ProblemView, retry: string | undefined) {
  if (retryable && retry !== undefined) {
    return (
      <>
        They went out in <a href={importHref(retry)}>retry {retry}</a>.
      </>
    );
  }
  const { sent = 0, ready = 0, left = 1 } = repaired ?? {};
  return [
    sent > 0 && `${counted(sent, 'row')} repaired and sent. `,
    ready > 0 && `${counted(ready, 'row')} repaired and not sent yet. `,
    left > 0 && withControls(advice),
  ];
}
