/** How a file is read, whatever it is uploaded for. */
import { REGIONS } from '../../../chat/service/regions.ts';
import { INPUT_KINDS, isWorkbook, nameOfInput } from '../../../options/input-kinds.ts';
import { h } from '../../element.js';
import { FieldGroup, SelectField, TextField } from '../../form.js';

/** @import { Form, Choice } from '../../form.js' */
/** @import { ShownFile } from './preview.js' */

/** @type {Choice[]} */
const SCOPES = [['', 'participant'], 'moderator', 'admin', ['ban', 'ban (refuse entry)']];
/** @type {Choice[]} */
const REGION_CHOICES = [['', 'the server’s default'], ...REGIONS];
/** @type {Choice[]} */
const FORMATS = [['', 'detect'], ...INPUT_KINDS.map((kind) => /** @type {const} */ ([kind, nameOfInput(kind)]))];
/** @type {Choice[]} */
const ENCODINGS = [
  ['', 'detect (UTF-8, UTF-16)'],
  ['windows-1252', 'Western European (windows-1252)'],
  ['windows-1250', 'Central European (windows-1250)'],
  ['windows-1251', 'Cyrillic (windows-1251)'],
  ['iso-8859-1', 'Latin 1 (iso-8859-1)'],
  ['iso-8859-15', 'Latin 9 (iso-8859-15)'],
  ['macintosh', 'Mac Roman (macintosh)'],
  ['utf-16le', 'UTF-16 LE'],
  ['utf-16be', 'UTF-16 BE'],
  ['shift_jis', 'Japanese (shift_jis)'],
  ['gb18030', 'Chinese (gb18030)'],
  ['euc-kr', 'Korean (euc-kr)'],
];
/** @type {Choice[]} */
const HEADERS = [
  ['', 'detect'],
  ['row', 'in a certain row'],
  ['skip', 'after lines to skip'],
  ['none', 'there is none'],
];
/** @type {Choice[]} */
const DELIMITERS = [
  ['', 'detect'],
  [',', 'comma'],
  [';', 'semicolon'],
  ['tab', 'tab'],
  ['|', 'pipe (|)'],
];

/** @param {{ form: Form }} properties */
export function RowDefaults({ form }) {
  return h(
    FieldGroup,
    { title: 'Defaults for rows without a value' },
    h(
      'div',
      { class: 'fields' },
      h(TextField, { form, name: 'guid', label: 'Group' }),
      h(SelectField, { form, name: 'scope', label: 'Scope', choices: SCOPES }),
      h(SelectField, { form, name: 'region', label: 'Region', choices: REGION_CHOICES }),
      h(TextField, {
        form,
        name: 'onBehalfOf',
        label: 'Acting user',
        note: 'Leave empty to let the service itself act.',
      }),
    ),
  );
}

/** Which sheet is read, where a workbook has several. @param {{ form: Form, preview: ShownFile }} properties */
export function SheetChoice({ form, preview }) {
  const sheets = sheetsOf(preview);
  const chosen = form.get('sheet');
  if (sheets.length < 2) return null;
  const known = sheets.map(
    ({ name, isVisible }) => /** @type {const} */ ([name, isVisible ? name : `${name} (hidden)`]),
  );
  const isKnown = chosen === '' || sheets.some(({ name }) => name === chosen);
  return h(SelectField, {
    form,
    name: 'sheet',
    label: 'Sheet',
    choices: [['', 'the first one with a table'], ...known, ...(isKnown ? [] : [chosen])],
  });
}

/** @param {ShownFile} preview */
function sheetsOf({ facts }) {
  return facts.value?.sheets ?? [];
}

/**
 * @param {object} properties
 * @param {Form} properties.form
 * @param {ShownFile} properties.preview
 * @param {boolean} properties.isArchive whether it is or may be one
 */
export function FileFormat({ form, preview, isArchive }) {
  const header = form.get('header');
  const kind = preview.found.value?.kind;
  const sheets = sheetsOf(preview);
  const isUnseen = preview.isTooLarge.value || isArchive;
  const hasSheets = isWorkbook(kind) || sheets.length > 0 || preview.isTooLarge.value;
  return h(
    'details',
    null,
    h('summary', null, 'File format'),
    h(
      'div',
      { class: 'fields' },
      h(SelectField, { form, name: 'format', label: 'Format', choices: FORMATS }),
      sheets.length === 0 &&
        (isUnseen || form.get('sheet') !== '') &&
        h(TextField, {
          form,
          name: 'sheet',
          label: 'Sheet',
          note: 'Name or number. Leave empty for the first one with a table.',
        }),
      (isArchive || form.get('files') !== '') &&
        h(TextField, {
          form,
          name: 'files',
          label: 'Files of the archive',
          placeholder: 'members*.csv',
          note: 'Leave empty for all that can be read.',
        }),
      h(SelectField, { form, name: 'header', label: 'Header row', choices: HEADERS }),
      header === 'row' && h(TextField, { form, name: 'headerRow', label: 'Row of the header', placeholder: '3' }),
      header === 'skip' && h(TextField, { form, name: 'skipLines', label: 'Lines to skip', placeholder: '2' }),
      !hasSheets && h(SelectField, { form, name: 'delimiter', label: 'Delimiter', choices: DELIMITERS }),
      !hasSheets && h(SelectField, { form, name: 'encoding', label: 'Encoding', choices: ENCODINGS }),
    ),
  );
}

/** When an import, or the run of a schedule, ends before its time. @param {{ form: Form }} properties */
export function RunLimits({ form }) {
  return [
    h(TextField, {
      form,
      name: 'giveUpAfter',
      label: 'Wait for the service at most',
      placeholder: '30m or 12h',
      note: 'Leave empty to wait as long as it takes.',
    }),
    h(TextField, {
      form,
      name: 'expectRows',
      label: 'Rows that the file must have',
      placeholder: '1200',
      note: 'With another number nothing is sent.',
    }),
  ];
}
