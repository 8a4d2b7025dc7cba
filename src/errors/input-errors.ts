import { failure } from './entry.ts';

/** @param field the option that is wrong, where the error names no other */
const input = (title: string, field?: string) => failure({ title, field });

/** Inputs that cannot be used: an import of one is rejected. A single bad row is no error, but a row with a problem. */
export const INPUT_ERRORS = {
  FILE_NOT_FOUND: input('There is no such file'),
  BAD_ADDRESS: input('It is an address (`postgres://…`), where only a path can be used'),
  NOT_A_FILE: input('It is a directory, where only a file can be used'),
  NOT_READABLE: input('There is no permission to read it, or reading failed halfway'),
  FILE_CHANGED: input('It was changed while it was read'),
  EMPTY: input('It is empty'),
  NO_ROWS: input('It has a header and no rows, or an empty list; or none of its rows has the ids that `--only` names'),
  BINARY: input('It is not text'),
  OTHER_FORMAT: input('It is a format that rollcall does not read, or files of different kinds'),
  BAD_ENCODING: input('It has bytes that its encoding does not have', 'encoding'),
  UNKNOWN_ENCODING: input('There is no such encoding', 'encoding'),
  BAD_DELIMITER: input('The delimiter cannot be used', 'delimiter'),
  BAD_DEFAULT: input('The group or acting user for all rows is not a valid id'),
  GZIP_BROKEN: input('It cannot be unpacked'),
  ZSTD_BROKEN: input('It cannot be unpacked'),
  ZIP_BROKEN: input('The archive or workbook is damaged or cut off'),
  UNSAFE_ARCHIVE: input('The archive has names that lead out of it, two entries of one name, or links'),
  ENCRYPTED: input('A password protects it'),
  UNKNOWN_FILE: input('The folder or archive has no file to read, or none that `--files` names', 'files'),
  WORKBOOK_BROKEN: input('The workbook cannot be read'),
  UNKNOWN_SHEET: input('The workbook has no sheet that `--sheet` names', 'sheet'),
  YAML_BROKEN: input('It is not valid YAML'),
  LDIF_BROKEN: input('It is not valid LDIF, or has changes instead of entries'),
  UNCLOSED_QUOTE: input('A quoted cell does not end'),
  MISPLACED_QUOTE: input('A cell continues after its closing quote'),
  ROW_TOO_LONG: input('A row is larger than the bound `row` or `element`'),
  TOO_MANY_COLUMNS: input('There are more columns than the bound `columns`'),
  TOO_LARGE: input('It is too large when it is unpacked, or its report would be'),
  JSON_BROKEN: input('It is not valid JSON'),
  JSON_SHAPE: input('It is valid JSON, but not a list of rows'),
  MORE_PAGES: input(
    "It is one page of a JSON API's list and names the next one; [addresses.md](addresses.md#files-at-an-address) has a way to read all",
  ),
  UNKNOWN_COLUMN: input('The mapping names a column that is not there', 'map'),
  AMBIGUOUS_COLUMN: input('Two columns are for the same field', 'map'),
  MISSING_COLUMN: input('No column has the UID, or the group', 'map'),
  RECIPE_MISFIT: input('The file is not of the kind that the recipe is for', 'recipe'),
  BAD_SHAPE: input(
    'Settings for shaping that cannot be used: a wrong template, two that contradict each other',
    'shape',
  ),
  ROW_COUNT: input('The file has not as many rows as `--expect-rows` says; it may be cut off'),
  TOO_FEW_ROWS: input('The file has fewer rows than `--min-rows` says; it may be cut off, or its source has shrunk'),
  READING_STALLED: input(
    'No row and no byte of the file was read for ten minutes: reading it was ended, so that it holds up no others',
  ),
  BAD_IDENTITIES: input('The identity file has two UIDs for one key, or lacks a column'),
  BAD_GROUPS: input(
    'The group file has two scopes for a key in one group, a key in two columns for different groups, an unknown scope or region, or lacks a column',
  ),
};
