/** The filter of an import's rows, which the address of the page holds. */

import { type Signal, signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { REGIONS } from '../../../chat/service/regions.ts';
import { OUTCOMES } from '../../../membership/outcome.ts';
import { OUTCOME_LABELS, WRONG } from '../../import-words.ts';
import { importHref } from '../../kit/elements.tsx';
import { Filter } from '../../kit/filter.tsx';
import type { Choice } from '../../kit/form.tsx';
import { usePlace } from '../../place.ts';
import { query } from '../../requests.ts';

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

/** The address of the rows of an import that pass a filter. */
export function rowsHref(id: string, wanted: Readonly<Record<string, string>>) {
  return `${importHref(id)}${query(wanted)}#rows`;
}

function conditions(codes: Signal<readonly string[]>, canCorrect: Signal<boolean>) {
  return {
    state: {
      label: 'Show',
      choices: STATES,
      get isHidden() {
        return !canCorrect.value;
      },
    },
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
    code: { label: 'Code', suggestions: codes },
    check: { label: 'Check', isHidden: true },
    problemColumn: { label: 'Column', isHidden: true },
  } as const;
}

export class RowsWanted extends Filter {
  /** Codes that can be filtered for. */
  readonly codes;
  /** Whether there are rows that can be corrected, or were. */
  readonly canCorrect;
  /** Whether the rows are shown, and not what else is known of the import. */
  readonly isInSight = signal(true);

  constructor(given: URLSearchParams) {
    const codes = signal<readonly string[]>([]);
    const canCorrect = signal(false);
    super(conditions(codes, canCorrect), given);
    this.codes = codes;
    this.canCorrect = canCorrect;
  }

  /** Filters for this alone, and goes to the rows. */
  chooseAlone(wanted: Parameters<RowsWanted['only']>[0]) {
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

/** The filter that the address of the page begins with. */
export function useRowsWanted(): RowsWanted {
  const { query } = usePlace();
  return useMemo(() => new RowsWanted(query), []);
}

/** Goes to the rows where the address does. @param isReady whether what stands above them is there: it would move them */
export function useRowsAsked(isReady: boolean) {
  useEffect(() => {
    if (isReady && location.hash === '#rows') goToRows();
  }, [isReady]);
}
