/** Reports of an import as files. */
import { importPath } from '../../api.js';
import { fill, h } from '../../element.js';
import { counted } from '../../format.js';
import { ATTENTION, needAttention, retryable, settled, WRONG } from '../../words.js';

/** @import { ImportView } from '../../answers.d.ts' */

export function importDownloads() {
  const element = h('ul', { class: 'downloads' });
  return {
    element,
    /** @param {ImportView} view */
    show: (view) => {
      const { rows } = view;
      const report = (/** @type {string} */ query) => importPath(view.id, `/report?${query}`);
      const forms = (/** @type {string} */ query) =>
        ['csv', 'ndjson', 'json'].map((form) =>
          h('a', { href: report(`format=${form}${query}`), download: true }, form.toUpperCase()),
        );
      const attention = needAttention(rows);
      const again = retryable(rows);
      fill(
        element,
        download(
          'All rows',
          `${counted(rows.read, 'row')}${settled(rows) < rows.read ? ', those without an outcome included' : ''}`,
          forms(''),
        ),
        attention > 0 &&
          download(
            'What needs attention',
            counted(attention, 'row'),
            forms(`&status=${(view.finishedAt === null ? WRONG : ATTENTION).join(',')}`),
          ),
        again > 0 &&
          download('Retry file', `${counted(again, 'row')} in the columns of your file: fix them and upload it`, [
            h('a', { href: report('retryable=true'), download: true }, 'Download'),
          ]),
        download('Shareable report (HTML)', 'one page', [
          h('a', { href: report('format=html'), target: '_blank', rel: 'noopener' }, 'Open'),
        ]),
      );
    },
  };
}

/**
 * @param {string} name
 * @param {string} note
 * @param {HTMLElement[]} links
 */
function download(name, note, links) {
  // A link named "CSV" says nothing by itself: it is read out with what it is of.
  for (const link of links) link.setAttribute('aria-label', `${name}: ${link.textContent}`);
  return h(
    'li',
    {},
    h('div', {}, h('b', {}, name), h('span', { class: 'note' }, note)),
    h('div', { class: 'links' }, links),
  );
}
