/** How the chosen file is read: which column is what, and its first rows. */
import { ApiError, query, request } from '../../api.js';
import { fill, foreign, h } from '../../element.js';
import { counted, grouped } from '../../format.js';
import { errorPlace } from '../../notice.js';
import { dataTable } from '../../table.js';
import { beginning } from '../../upload.js';
import { MISSING } from '../../words.js';
import { columnMapping } from './column-mapping.js';

/** @import { Preview, PreviewRow } from '../../answers.d.ts' */
/** @import { FormOptions } from './options.js' */

/** As much of the file as is sent to be looked at. */
const BEGINNING_BYTES = 256 * 1024;
/** Enough to see whether the columns are right, few enough to keep the button in sight. */
const ROWS_SHOWN = 8;

/** @type {import('../../table.js').Column<PreviewRow>[]} */
const COLUMNS = [
  { label: 'Row', kind: 'number', cell: ({ line }) => grouped(line) },
  { label: 'UID', kind: 'main', cell: ({ uid }) => value(uid) },
  { label: 'Group', cell: ({ guid }) => value(guid) },
  { label: 'Scope', cell: ({ scope }) => scope || '–' },
  { label: 'Region', cell: ({ region }) => region || '–' },
  {
    label: 'Problems',
    kind: 'wide',
    cell: ({ problems }) =>
      problems.length === 0
        ? h('span', { class: 'soft' }, 'none')
        : h(
            'ul',
            { class: 'plain' },
            problems.map((problem) =>
              h(
                'li',
                {},
                foreign(problem.column),
                problem.column !== '' && ' ',
                problem.value !== '' && h('code', {}, foreign(problem.value)),
                problem.value !== '' && ' ',
                foreign(problem.reason),
              ),
            ),
          ),
  },
];

/**
 * @param {object} options
 * @param {FormOptions} options.options
 * @param {AbortSignal} options.signal
 */
export function filePreview({ options, signal }) {
  const problem = errorPlace();
  const found = h('p', { class: 'note', role: 'status' });
  const table = dataTable({
    caption: 'The first rows, as rollcall reads them',
    columns: COLUMNS,
    key: (_, index) => index,
    rowClass: ({ problems }) => (problems.length > 0 ? 'wrong' : ''),
  });
  const place = h('div', {});
  const element = h('div', { class: 'preview' }, h('h3', {}, 'First rows'), found, problem.element, place);
  const mapping = columnMapping(() => ask());
  /** @type {Blob | undefined} */
  let head;
  /** @type {Preview | undefined} */
  let preview;
  let asked = 0;

  const readingOptions = () => ({ ...options.reading(), map: mapping.text() });
  const ask = async () => {
    if (head === undefined) return;
    const own = ++asked;
    try {
      /** @type {Preview} */
      const answer = await request(`/v1/preview${query(readingOptions())}`, {
        method: 'POST',
        body: head,
        type: 'application/octet-stream',
        signal,
      });
      if (own !== asked) return;
      preview = answer;
      problem.clear();
      options.clearErrors();
      mapping.show(answer);
      const rows = answer.rows.slice(0, ROWS_SHOWN);
      table.show(rows);
      fill(
        found,
        `${answer.format.toUpperCase()}, ${answer.encoding}${answer.delimiter !== null ? `, delimiter ${delimiterName(answer.delimiter)}` : ''}. The first ${counted(rows.length, 'row')}, as rollcall reads ${rows.length === 1 ? 'it' : 'them'}:`,
      );
      if (place.firstElementChild !== table.element) fill(place, table.element);
      place.hidden = rows.length === 0;
    } catch (error) {
      if (signal.aborted || own !== asked) return;
      preview = undefined;
      place.hidden = true;
      const refusal = error instanceof ApiError ? error.problem : undefined;
      const beside = `${refusal?.detail} ${refusal?.remedy ?? ''}`;
      if (refusal?.field === undefined || !options.showError(refusal.field, beside, { moveFocus: false })) {
        fill(found);
        return problem.show(error);
      }
      problem.clear();
      fill(found, 'The file cannot be read with these options.');
    }
  };
  return {
    element,
    mapping: mapping.element,
    ask,
    readingOptions,
    /** @param {File} file */
    read: async (file) => {
      mapping.reset();
      preview = undefined;
      try {
        head = await beginning(file, BEGINNING_BYTES);
      } catch {
        return problem.show(`${file.name} cannot be read, or has changed. Choose it again.`);
      }
      await ask();
    },
    /** Whether nothing that is known speaks against it; else the first place to mend has the focus. */
    mayStart: () => {
      const [missing] = preview?.missing ?? [];
      if (missing === undefined) return true;
      return !mapping.showError(missing, MISSING[missing] ?? 'Choose a column.');
    },
    /**
     * @param {string} field
     * @param {string} detail
     */
    showError: (field, detail) => mapping.showError(field === 'map' ? 'uid' : field, detail),
  };
}

/** @param {string} text */
function value(text) {
  return text === '' ? h('span', { class: 'soft' }, '–') : foreign(text);
}

/** @param {string} delimiter */
function delimiterName(delimiter) {
  return { ',': 'comma', ';': 'semicolon', '\t': 'tab', '|': 'pipe' }[delimiter] ?? delimiter;
}
