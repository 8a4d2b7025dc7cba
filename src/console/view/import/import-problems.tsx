/** Problems by cause: each leads to the rows behind it; of the one whose rows are shown, examples and what to do. */
import { useSignal } from '@preact/signals';
import { completeRetry, NEEDS_ATTENTION } from '../../../membership/outcome.ts';
import { exampleWords, problemsShown } from '../../../membership/outcome-words.ts';
import { counted, withFullStop } from '../../../text/wording.ts';
import type { ProblemView } from '../../answers.ts';
import { columnLabel } from '../../import-words.ts';
import { foreign, importHref, OutcomeMark, Pending } from '../../kit/elements.tsx';
import { withControls } from '../../option-words.ts';
import { isNarrow } from '../../place.ts';
import { isToCorrect, wrongOf } from './import-rules.ts';
import type { ImportParts } from './live-import.ts';
import { type RowsWanted, rowsHref, TO_CORRECT, useRowsAsked } from './rows-wanted.tsx';

/** Further ones are shown when they are asked for: the rows stay in sight. */
const MAX_SHOWN = 6;
const MAX_ON_PHONE = 4;

export function ImportProblems({ view, filter, problems: { data, error } }: ImportParts) {
  const showsAll = useSignal(false);
  const { id } = view;
  useRowsAsked(data !== undefined);
  const retry = completeRetry(view)?.id;
  // Rows that count in another row, or were left out on purpose, are no one's work.
  const all = data && problemsShown(data.problems, view.state).sort((a, b) => Number(isCalm(a)) - Number(isCalm(b)));
  // They have their place before their rows are there.
  if ((all?.length ?? wrongOf(view.rows)) === 0) return null;
  const most = showsAll.value ? undefined : isNarrow() ? MAX_ON_PHONE : MAX_SHOWN;
  const chosen = all?.length === 1 ? all[0] : all?.find((problem) => isChosen(problem, filter));
  return (
    <section class="problems row" aria-labelledby="problems">
      <h2 id="problems">Problems</h2>
      {all === undefined && <Pending error={error} />}
      {all?.slice(0, most).map((problem) => {
        const { status, code, column, count } = problem;
        const isOpen = isToCorrect(problem) || (problem.corrected?.ready ?? 0) > 0;
        const wanted = { ...rowsWith(problem), ...(isOpen && !isTaken(problem, retry) && TO_CORRECT) };
        return (
          <a
            key={`${status} ${code} ${column ?? ''}`}
            class="button small-button"
            href={rowsHref(id, wanted)}
            aria-current={problem === chosen}
            onClick={(event) => {
              event.preventDefault();
              filter.chooseAlone(wanted);
            }}
          >
            <OutcomeMark outcome={status} /> {code !== '' && <code>{code}</code>}
            {column !== undefined && <> in {foreign(columnLabel(column))}</>}: <b>{counted(count, 'row')}</b>
          </a>
        );
      })}
      {all !== undefined && most !== undefined && all.length > most && (
        <button
          type="button"
          class="quiet small-button"
          onClick={() => {
            showsAll.value = true;
          }}
        >
          Show all {all.length} problems
        </button>
      )}
      {chosen !== undefined && (
        <div class="about">
          {exampleWords(chosen).map((words, at) => (
            <span key={at}>
              {at === 0 && 'For example '}
              {foreign(withFullStop(words))}{' '}
            </span>
          ))}
          <b>{toDo(chosen, retry)}</b>
        </div>
      )}
    </section>
  );
}

/** The filter of its rows. */
function rowsWith({ status, code, column }: ProblemView) {
  return { status, code, ...(column !== undefined && { problemColumn: column }) };
}

function isChosen(problem: ProblemView, { set }: RowsWanted) {
  return Object.entries({ problemColumn: '', ...rowsWith(problem) }).every(([name, own]) => (set[name] ?? '') === own);
}

function isCalm({ status }: ProblemView) {
  return !NEEDS_ATTENTION.has(status);
}

/** @param retry that took all rows that could be sent again */
function isTaken({ retryable }: ProblemView, retry: string | undefined) {
  return retryable && retry !== undefined;
}

function toDo(problem: ProblemView, retry: string | undefined) {
  if (isTaken(problem, retry)) {
    return (
      <>
        They went out in <a href={importHref(retry ?? '')}>retry {retry}</a>.
      </>
    );
  }
  const { sent = 0, ready = 0, left = 1 } = problem.corrected ?? {};
  return [
    sent > 0 && `${counted(sent, 'row')} corrected and sent. `,
    ready > 0 && `${counted(ready, 'row')} corrected and not sent yet. `,
    left > 0 && withControls(problem.advice),
  ];
}
