import { IMPORT_KINDS } from '../membership/import-kind.ts';
import { IMPORT_STATES } from '../membership/import-state.ts';

interface ListFilter {
  /** Name of the flag of `list`. Default: the name of the parameter. */
  readonly flag?: string;
  /** The value as the help shows it; none for a switch. */
  readonly value?: string;
  readonly help: string;
}

/** The filters of a list of imports, by the names of their parameters in the API. Without zod, which no flag loads. */
export const LIST_FILTERS = {
  search: { value: '<text>', help: 'only imports with this in their file name, id, reason or tags, in any case' },
  state: { value: '<states>', help: `only these states, with commas: ${IMPORT_STATES.join(', ')}` },
  kind: { value: '<kinds>', help: `only these kinds, with commas: ${IMPORT_KINDS.join(', ')}` },
  from: { value: '<day>', help: 'only imports of this day (UTC), or of this time in ISO 8601, or later' },
  to: { value: '<day>', help: 'only imports of this day (UTC) or earlier, or before this time in ISO 8601' },
  createdBy: { flag: 'by', value: '<name>', help: 'only imports that this person or token started: the whole name' },
  tags: { flag: 'tag', value: '<tag>', help: 'only imports with all of these tags, with commas' },
  problems: {
    help: 'only imports that stopped, or that ended with rows that need attention: dismissed ones too, but not those whose rows were all sent again',
  },
} as const satisfies Record<string, ListFilter>;
