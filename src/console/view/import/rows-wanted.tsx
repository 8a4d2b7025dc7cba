/** The filter of an import's rows, which the address of the page holds. */

import { signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { REGIONS } from '../../../chat/service/regions.ts';
import { OUTCOMES } from '../../../membership/outcome.ts';
import type { ProblemView, Values } from '../../answers.ts';
import { OUTCOME_LABELS, WRONG } from '../../import-words.ts';
import { importHref } from '../../kit/elements.tsx';
import { Filter } from '../../kit/filter.tsx';
import type { Choice } from '../../kit/form.tsx';
import { usePlace } from '../../place.ts';
import { query } from '../../requests.ts';
import { isToCorrect } from './import-rules.ts';

const STATUSES: Choice[] = [
  ['', 'all'],
  [WRONG.join(','), 'what went wrong'],
  ...OUTCOMES.map((outcome) => [outcome, OUTCOME_LABELS[outcome]] as const),
];

/** Rows that are corrected, by what was done about them. */
const STATES: Choice[] = [
  ['', 'all rows'],
  ['open,wrong,ready', 'rows to correct'],
  ['open', 'not edited'],
  ['wrong', 'edited and still wrong'],
  ['ready', 'ready to send'],
  ['sent', 'corrected and sent'],
];
/** The rows that can be corrected, and were not sent. */
export const TO_CORRECT = { state: 'open,wrong,ready' };

export function rowsHref(id: string, wanted: Values) {
  return `${importHref(id)}${query(wanted)}#rows`;
}

function conditions(problems: readonly ProblemView[]) {
  const codes = problems.map(({ code }) => code).filter(Boolean);
  const canCorrect = problems.some((problem) => isToCorrect(problem) || problem.corrected !== undefined);
  return {
    state: { label: 'Show', choices: STATES, isHidden: !canCorrect },
    text: { label: 'Text', placeholder: 'any column' },
    status: { label: 'Outcome', choices: STATUSES },
    line: {
      label: 'Row',
      placeholder: '120-150',
      pattern: ['\\s*\\d{1,9}(-\\d{1,9})?\\s*', 'A row of the file such as 120, or a range such as 120-150'],
    },
    region: { label: 'Region', choices: [['', 'all'], ...REGIONS] },
    uid: { label: 'UID' },
    guid: { label: 'Group' },
    code: { label: 'Code', suggestions: [...new Set(codes)] },
    check: { label: 'Check', isHidden: true },
    problemColumn: { label: 'Column', isHidden: true },
  } as const;
}

export class RowsWanted extends Filter {
  /** Whether the rows are shown, and not what else is known of the import. */
  readonly isInSight = signal(true);

  constructor(given: URLSearchParams) {
    super(conditions([]), given);
  }

  /** Filters for this alone, and goes to the rows. */
  chooseAlone(wanted: Values) {
    this.only(wanted);
    this.isInSight.value = true;
    goToRows((filter) => filter.querySelector('input')?.focus({ preventScroll: true }));
  }
}

/** Scrolls to their filter, when what has changed above it is drawn. */
function goToRows(then?: (filter: Element) => void) {
  requestAnimationFrame(() => {
    const filter = document.querySelector('.rows > .filter');
    if (filter === null) return;
    filter.scrollIntoView();
    then?.(filter);
  });
}

/** The filter that the address of the page begins with; it offers what there is to filter for. */
export function useRowsWanted(problems: readonly ProblemView[] = []): RowsWanted {
  const { query } = usePlace();
  const filter = useMemo(() => new RowsWanted(query), []);
  filter.conditions = conditions(problems);
  return filter;
}

/** Goes to the rows where the address does. @param isReady whether what stands above them is there: it would move them */
export function useRowsAsked(isReady: boolean) {
  useEffect(() => {
    if (isReady && location.hash === '#rows') goToRows();
  }, [isReady]);
}
