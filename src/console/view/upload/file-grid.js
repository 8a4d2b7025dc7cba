/** The first rows of a file: its header says what each column is used for, its cells what is wrong with them. */

import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { isWorkbook, nameOfInput } from '../../../options/input-kinds.ts';
import { foreign, h } from '../../element.js';
import { focusField } from '../../form.js';
import { counted } from '../../format.js';
import { announce } from '../../frame.js';
import { isNarrow } from '../../narrow.js';
import { ErrorPlace } from '../../notice.js';
import { FIELDS, MISSING } from '../../words.js';
import { gridRows } from './grid-rows.js';
import { GridTable } from './grid-table.js';
import { suggestionsFor } from './suggestions.js';

/** @import { Preview } from '../../answers.d.ts' */
/** @import { Form } from '../../form.js' */
/** @import { ShownFile } from './preview.js' */

/** Enough to see whether the columns are right, few enough to keep the button in sight. */
const ROWS_SHOWN = 8;
const ROWS_ON_PHONE = 3;
/** @type {Readonly<Record<string, string>>} */
const DELIMITER_NAMES = { ',': 'comma', ';': 'semicolon', '\t': 'tab', '|': 'pipe' };

/** @param {{ preview: ShownFile, form: Form, isImport: boolean }} properties */
export function FileGrid({ preview, form, isImport }) {
  const found = preview.found.value;
  const lines = preview.facts.value?.firstLines ?? [];
  const identities = preview.identities.value;
  const uid = preview.columnOf('uid');
  const rows =
    found === undefined
      ? []
      : gridRows(found, {
          most: isNarrow() ? ROWS_ON_PHONE : ROWS_SHOWN,
          keyColumn: identities === undefined ? '' : uid,
        });
  return h(
    'div',
    { class: 'file' },
    h(
      'div',
      { class: 'about' },
      h('h3', { id: 'first-rows', tabIndex: -1, ref: useLanding(preview) }, 'The first rows'),
      h('p', { class: 'note', role: 'status' }, stateOf(preview, rows.length)),
    ),
    identities !== undefined &&
      h('p', { class: 'note' }, 'UIDs are looked up in ', foreign(identities.name), ' when the file is read.'),
    h(ErrorPlace, { error: preview.error.value }),
    h(Notes, { notes: found?.notes ?? [] }),
    found !== undefined && found.columns.length > 0
      ? h(GridTable, { found, rows, preview, form, suggestions: suggestionsFor({ preview, form, isImport }) })
      : lines.length > 0 &&
          h(
            'pre',
            { class: 'grid', tabIndex: 0, role: 'region', 'aria-labelledby': 'first-rows' },
            foreign(lines.join('\n')),
          ),
    h(NoColumns, { preview }),
    h(Missing, { preview, form }),
  );
}

/** @param {ShownFile} preview @param {number} rows */
function stateOf({ isTooLarge, isRefused, found }, rows) {
  if (isTooLarge.value) {
    return 'This workbook or archive is too large for a preview (4 MB). Its columns can be recognised by name only: check the file before you start.';
  }
  if (isRefused.value) return 'The file cannot be read with these options.';
  if (found.value === undefined) return '';
  const { kind, encoding, delimiter } = found.value;
  const isText = !isWorkbook(kind);
  const by = !isText || delimiter === null ? '' : `, delimiter ${DELIMITER_NAMES[delimiter] ?? delimiter}`;
  const name = isText ? `${nameOfInput(kind)}, ${encoding}` : nameOfInput(kind);
  const first = rows === 1 ? 'The first row as it is' : `The first ${counted(rows, 'row')} as they are`;
  return `${name}${by}. ${first}. Choose above each column what it is.`;
}

/**
 * Takes the focus where a control is gone that started something, and passes it on when the file is read: to what is to be
 * decided next, or to the button that starts.
 * @param {ShownFile} preview
 */
function useLanding({ landing, found }) {
  const heading = useRef(/** @type {HTMLHeadingElement | null} */ (null));
  const done = landing.value;
  useLayoutEffect(() => {
    if (done !== '') heading.current?.focus();
  }, [done]);
  useEffect(() => {
    if (done === '' || found.value === undefined) return;
    landing.value = '';
    const { missing } = found.value;
    announce(
      `${done} ${missing.length === 0 ? 'Nothing is missing.' : missing.map((field) => MISSING[field]).join(' ')}`,
    );
    // Who has gone on meanwhile stays there.
    if (document.activeElement !== heading.current) return;
    const next = missing.length > 0 ? '.grid [data-next]' : '.suggestions button, #start';
    const place = document.querySelector(next);
    if (place instanceof HTMLElement) place.focus();
  }, [found.value]);
  return heading;
}

/** Fields that are read from several columns or parts of one, as a suggestion can say. @param {{ preview: ShownFile }} properties */
function NoColumns({ preview }) {
  return FIELDS.map(([field, label]) => {
    const source = preview.chosen.value[field] ?? '';
    if (source === '' || preview.columns.value.includes(source)) return null;
    return h('p', { key: field, class: 'note' }, `${label} is read from `, h('code', null, foreign(source)), '.');
  });
}

/** What has no column yet, or a column that the server refused. @param {{ preview: ShownFile, form: Form }} properties */
function Missing({ preview, form }) {
  const missing = preview.found.value?.missing ?? [];
  return h(
    'div',
    { class: 'missing' },
    FIELDS.map(([field]) => {
      const error = form.errors.value[`map-${field}`] ?? '';
      const isMissing = missing.includes(field);
      if (error === '' && !isMissing) return null;
      return h(
        'p',
        { key: field, id: `new-map-${field}-error`, class: error === '' ? '' : 'error' },
        error || MISSING[field],
        field === 'guid' &&
          isMissing && [
            ' ',
            h('button', { type: 'button', onClick: () => focusField('guid') }, 'Enter one group for all rows…'),
          ],
      );
    }),
  );
}

/** @param {{ notes: Preview['notes'] }} properties */
function Notes({ notes }) {
  if (notes.length === 0) return null;
  return h(
    'ul',
    { class: 'file-notes' },
    notes.map(({ code, text }) =>
      h(
        'li',
        { key: code },
        foreign(text),
        code === 'SHEET_CHOSEN' && [
          ' ',
          h('button', { type: 'button', class: 'quiet', onClick: () => focusField('sheet') }, 'Choose another sheet'),
        ],
      ),
    ),
  );
}
