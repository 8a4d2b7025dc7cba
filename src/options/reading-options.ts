import { z } from 'zod';
import { FIELDS, REGIONS, SCOPES } from '../membership/membership.ts';
import { timeText, waitTime } from '../platform/allowed-values.ts';
import { BOUND_NAMES } from './bounds.ts';
import { INPUT_KINDS } from './input-kinds.ts';
import { choice, entryTexts, type Given, option, readAsSetting, TEXT } from './option.ts';
import { boundList, columnMap, delimiterCharacter, patternList, shapeText } from './option-texts.ts';
import { shapeSettings } from './shape.ts';

const FORMATS = ['auto', ...INPUT_KINDS] as const;
const id = { schema: z.string(), ...TEXT, longest: 200 };

/** Options for the content of a file. */
export const CONTENT = {
  guid: option({ ...id, value: '<guid>', help: 'group of rows without one' }),
  scope: option({
    ...choice(SCOPES),
    value: '<scope>',
    help: 'scope of rows without one',
    preset: 'participant',
  }),
  region: option({ ...choice(REGIONS), value: '<region>', help: 'region of rows without one' }),
  onBehalfOf: option({ ...id, value: '<uid>', help: 'acting user of rows without one' }),
  until: option({
    ...id,
    value: '<time>',
    help: 'end of the memberships of rows without one: a date, a time with its zone, or 90d from now',
  }),
  map: option({
    schema: z.partialRecord(z.enum(FIELDS), z.string().max(1_000)),
    value: '<field=column,...>',
    help: `columns with other names; scope= ignores the scope column; fields: ${FIELDS.join(', ')}`,
    parse: columnMap(FIELDS, 'uid=Member ID'),
    print: entryTexts,
    repeats: true,
  }),
  sheet: option({
    schema: z.string().min(1).max(100),
    ...TEXT,
    value: '<name|n>',
    help: 'sheet of a workbook: its name, or its number from 1',
    preset: 'the first visible one with a table',
  }),
  files: option({
    schema: z.array(z.string().min(1).max(1_000)).min(1).max(100),
    value: '<pattern>',
    help: 'files of a folder or ZIP archive, such as members*.csv; behind a ! files that are left out; may be repeated',
    preset: 'those with rows at its top',
    parse: patternList,
    print: (patterns) => [patterns.map((pattern) => pattern.replaceAll(/,(?![^{]*\})/g, '\\,')).join(',')],
    repeats: true,
  }),
  format: option({ ...choice(FORMATS), value: '<format>', help: 'format of the input', preset: 'auto' }),
  encoding: option({
    schema: z.string(),
    ...TEXT,
    longest: 50,
    value: '<name>',
    help: 'encoding of the input, such as utf-16le or windows-1252',
    preset: 'UTF-8, or UTF-16 by its mark',
  }),
  delimiter: option({
    schema: z.string(),
    ...readAsSetting(delimiterCharacter, (character) => (character === '\t' ? 'tab' : character)),
    value: '<character>',
    help: 'delimiter of a CSV input',
    preset: 'detected',
  }),
  bound: option({
    kept: 'bounds',
    schema: z.partialRecord(z.enum(BOUND_NAMES), z.int().positive()),
    value: '<name=value,...>',
    help: `raise a limit on the size of the input; limits: ${BOUND_NAMES.join(', ')}`,
    parse: boundList,
    print: entryTexts,
    repeats: true,
  }),
};

/** Options for reading a file of this machine; they do not apply to a file that is sent to a server. */
export const WAITING = {
  waitForQuiet: option({
    kept: 'waitForQuietMs',
    schema: z.int().positive(),
    ...readAsSetting(waitTime, timeText),
    value: '<time>',
    help: 'wait until the file has not changed for this long, such as 10s',
  }),
};

export const READING = { ...CONTENT, ...WAITING };
export type ReadingChoices = Given<typeof READING>;

/** The mapping from rows to memberships, as one JSON object; the command line has a flag for each part. */
export const SHAPE = {
  shape: option({
    schema: shapeSettings,
    longest: 100_000,
    value: '<json>',
    help: 'rules that turn rows into memberships, as a JSON object: {"split":{"guid":";"},"scopeWords":{"OWNER":"admin","*":"participant"}}; docs/shaping.md has every setting',
    ...shapeText,
  }),
};
