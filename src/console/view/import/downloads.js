/** Reports of an import as files. */
import { importPath } from '../../api.js';
import { h } from '../../element.js';
import { counted } from '../../format.js';
import { ATTENTION, needAttention, retryable, settled, WRONG } from '../../words.js';

/** @import { LiveImport } from './live-import.js' */

/**
 * @typedef {object} Link
 * @property {string} text
 * @property {string} href
 * @property {boolean} [opens] in a tab of its own, instead of being saved
 */

/** @param {{ live: LiveImport }} properties */
export function ImportDownloads({ live }) {
  const view = live.view.value;
  if (view === undefined) return null;
  const { rows, finishedAt } = view;
  const report = (/** @type {string} */ query) => importPath(view.id, `/report?${query}`);
  /** @param {string} query @returns {Link[]} */
  const forms = (query) =>
    ['csv', 'xlsx', 'ndjson', 'json'].map((form) => ({
      text: form.toUpperCase(),
      href: report(`format=${form}${query}`),
    }));
  const attention = needAttention(rows);
  const again = retryable(rows);
  return h(
    'ul',
    { class: 'downloads' },
    h(Download, {
      name: 'All rows',
      note: `Take XLSX for a spreadsheet: it would run cells of a CSV file that begin like a formula. ${counted(rows.read, 'row')}${settled(rows) < rows.read ? ', those without an outcome included' : ''}`,
      links: forms(''),
    }),
    attention > 0 &&
      h(Download, {
        name: 'What needs attention',
        note: counted(attention, 'row'),
        links: forms(`&status=${(finishedAt === null ? WRONG : ATTENTION).join(',')}`),
      }),
    again > 0 &&
      h(Download, {
        name: 'Retry file',
        note: `${counted(again, 'row')} in the columns of your file: fix them and upload it`,
        links: [{ text: 'Download', href: report('retryable=true') }],
      }),
    h(Download, {
      name: 'Shareable report (HTML)',
      note: 'one page',
      links: [{ text: 'Open', href: report('format=html'), opens: true }],
    }),
  );
}

/** @param {{ name: string, note?: string, links: readonly Link[] }} properties */
export function Download({ name, note, links }) {
  return h(
    'li',
    null,
    h('div', null, h('b', null, name), note !== undefined && h('span', { class: 'note' }, note)),
    h(
      'div',
      { class: 'links' },
      links.map(({ text, href, opens = false }) =>
        h(
          'a',
          {
            key: text,
            href,
            // A link named "CSV" says nothing by itself: it is read out with what it is of.
            'aria-label': `${name}: ${text}`,
            ...(opens ? { target: '_blank', rel: 'noopener' } : { download: true }),
          },
          text,
        ),
      ),
    ),
  );
}
