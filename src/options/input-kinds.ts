import { enumerate } from '../text/wording.ts';

interface KindOfInput {
  /** The name that people see. */
  readonly name: string;
  /** Endings by which files of folders and archives are chosen. The content decides the kind of a file. */
  readonly endings: readonly string[];
  /** The stored form of its rows: cells under a header, or elements. */
  readonly rowsAs: 'csv' | 'json' | 'ndjson';
  /** Media type of an upload. */
  readonly mediaType: string;
  /** The media type is believed. Without this, the content decides: NDJSON is often sent as JSON. */
  readonly isBelieved?: true;
  /** A workbook is a ZIP archive, and so must be a file. */
  readonly isWorkbook?: true;
}

/** Kinds of files with rows. The reader of each is in src/imports/read; element-formats.ts recognises and opens those that are text. */
export const INPUTS = {
  csv: {
    name: 'CSV',
    endings: ['csv', 'tsv', 'tab', 'txt'],
    rowsAs: 'csv',
    mediaType: 'text/csv',
    isBelieved: true,
  },
  json: { name: 'JSON', endings: ['json'], rowsAs: 'json', mediaType: 'application/json' },
  ndjson: {
    name: 'NDJSON',
    endings: ['ndjson', 'jsonl'],
    rowsAs: 'ndjson',
    mediaType: 'application/x-ndjson',
    isBelieved: true,
  },
  xlsx: {
    name: 'Excel workbook',
    endings: ['xlsx', 'xlsm'],
    rowsAs: 'csv',
    mediaType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    isWorkbook: true,
  },
  ods: {
    name: 'OpenDocument sheet',
    endings: ['ods'],
    rowsAs: 'csv',
    mediaType: 'application/vnd.oasis.opendocument.spreadsheet',
    isWorkbook: true,
  },
  yaml: { name: 'YAML', endings: ['yaml', 'yml'], rowsAs: 'json', mediaType: 'application/yaml', isBelieved: true },
  ldif: { name: 'LDIF', endings: ['ldif', 'ldi'], rowsAs: 'ndjson', mediaType: 'text/ldif' },
} as const satisfies Record<string, KindOfInput>;

export type InputKind = keyof typeof INPUTS;
export const INPUT_KINDS = Object.keys(INPUTS) as [InputKind, ...InputKind[]];

/** The stored form of rows, to which every kind is converted. */
export type InputFormat = (typeof INPUTS)[InputKind]['rowsAs'];

const ALL: Readonly<Record<string, KindOfInput>> = INPUTS;

/** The name of a kind; of another text the text itself. */
export function nameOfInput(kind: string) {
  return ALL[kind]?.name ?? kind;
}

export function isWorkbook(kind: string | null | undefined) {
  return ALL[kind ?? '']?.isWorkbook === true;
}

/** Endings of all kinds, without the dot. */
export const INPUT_ENDINGS = Object.values(ALL).flatMap(({ endings }) => endings);

/** The kinds as a list in a sentence: `CSV, JSON, … Excel … or LDIF`. */
export function inputNames(last: 'and' | 'or') {
  const names = Object.values(ALL).map(({ name }) => name.replace(/ (workbook|sheet)$/, ''));
  return enumerate(names, last);
}

/** Exports of other systems, whose elements with memberships become flat rows; other elements give no rows. */
export const EXPORTS = ['slack', 'mattermost', 'stream', 'sendbird', 'twilio', 'cometchat', 'scim', 'teams'] as const;
export type ExportName = (typeof EXPORTS)[number];
