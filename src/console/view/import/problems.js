/** Problems by code: how many rows, an example, what to do. */
import { importPath, request } from '../../api.js';
import { fill, foreign, h } from '../../element.js';
import { counted, grouped } from '../../format.js';
import { outcomeMark } from '../../outcome-bar.js';
import { dataTable } from '../../table.js';

/** @import { ProblemView } from '../../answers.d.ts' */

/**
 * @param {object} options
 * @param {string} options.id
 * @param {AbortSignal} options.signal
 * @param {(problem: ProblemView) => void} options.onChoose someone wants to see these rows
 */
export function importProblems({ id, signal, onChoose }) {
  const table = dataTable({
    caption: 'Problems by code',
    key: ({ status, code }) => `${status} ${code}`,
    /** @type {import('../../table.js').Column<ProblemView>[]} */
    columns: [
      { label: 'Rows', kind: 'number', cell: ({ count }) => grouped(count) },
      {
        label: 'Problem',
        kind: 'main',
        cell: (problem) => [
          outcomeMark(problem.status),
          problem.code !== '' && h('code', {}, problem.code),
          h('p', { class: 'note' }, ...exampleOf(problem)),
        ],
      },
      { label: 'What to do', kind: 'wide', cell: ({ advice }) => advice },
      { label: 'Rows', cell: (problem) => rowsLink(problem) },
    ],
  });
  /** @param {ProblemView} problem */
  const rowsLink = (problem) => {
    const query = new URLSearchParams({ status: problem.status, ...(problem.code !== '' && { code: problem.code }) });
    const onclick = (/** @type {Event} */ event) => {
      event.preventDefault();
      onChoose(problem);
    };
    return h(
      'a',
      { href: `/imports/${encodeURIComponent(id)}?${query}#rows`, onclick },
      `Show ${counted(problem.count, 'row')}`,
    );
  };
  const element = h('div', {});
  return {
    element,
    /** @returns {Promise<ProblemView[]>} */
    load: async () => {
      /** @type {{ problems: ProblemView[] }} */
      const { problems } = await request(importPath(id, '/problems'), { signal });
      table.show(problems);
      if (problems.length > 0) fill(element, table.element);
      else fill(element, h('p', { class: 'empty' }, 'None.'));
      return problems;
    },
  };
}

/** @param {ProblemView} problem @returns {import('../../element.js').Child[]} */
function exampleOf({ example }) {
  return [
    `Row ${grouped(example.line)}`,
    example.value !== '' && ', ',
    example.value !== '' && h('code', {}, foreign(example.value)),
    example.message !== '' && ': ',
    example.message !== '' && foreign(example.message),
  ];
}
