/** The filter of an import's rows, which the address of the page holds. */

import { type Signal, signal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { REGIONS } from '../../../chat/service/regions.ts';
import { OUTCOMES } from '../../../membership/outcome.ts';
import { OUTCOME_LABELS, WRONG } from '../../import-words.ts';
import { Filter } from '../../kit/filter.tsx';
import type { Choice } from '../../kit/form.tsx';
import { usePlace } from '../../place.ts';

const STATUSES: Choice[] = [
  ['', 'all'],
  [WRONG.join(','), 'what went wrong'],
  ...OUTCOMES.map((outcome) => [outcome, OUTCOME_LABELS[outcome]] as const),
];

function conditions(codes: Signal<readonly string[]>) {
  return {
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
    check: { label: 'check', isHidden: true },
    problemColumn: { label: 'problemColumn', isHidden: true },
  } as const;
}

export class RowsWanted extends Filter {
  /** Codes that can be filtered for. */
  readonly codes;
  /** Whether the rows are shown, and not what else is known of the import. */
  readonly isInSight = signal(true);

  constructor(given: URLSearchParams) {
    const codes = signal<readonly string[]>([]);
    super(conditions(codes), given);
    this.codes = codes;
  }

  /** Filters for this alone, and goes to the rows. */
  chooseAlone(wanted: Parameters<RowsWanted['only']>[0]) {
    this.only(wanted);
    this.isInSight.value = true;
    requestAnimationFrame(() => {
      const card = document.getElementById('rows')?.parentElement;
      card?.scrollIntoView();
      card?.querySelector('input')?.focus({ preventScroll: true });
    });
  }
}

/** The filter that the address of the page begins with. */
export function useRowsWanted(): RowsWanted {
  const { query } = usePlace();
  return useMemo(() => new RowsWanted(query), []);
}
