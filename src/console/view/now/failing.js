/** Codes that came in several imports: what to fix where the files come from. */
import { h, importHref } from '../../element.js';
import { counted, grouped } from '../../format.js';
import { dataTable } from '../../table.js';

/** @import { Overview } from '../../answers.d.ts' */

/** @type {import('../../table.js').Column<Overview['failing'][number]>[]} */
const COLUMNS = [
  { label: 'Code', kind: 'main', cell: ({ code }) => h('code', null, code) },
  { label: 'Imports', kind: 'number', cell: ({ imports }) => grouped(imports) },
  { label: 'Rows', kind: 'number', cell: ({ rows }) => grouped(rows) },
  {
    label: 'Latest',
    cell: ({ latest, code }) =>
      h(
        'a',
        { href: `${importHref(latest)}#problems`, 'aria-label': `see what to do about ${code}, in the latest import` },
        'see what to do',
      ),
  },
];

/** @param {{ failing: Overview['failing'] }} properties */
export function Failing({ failing }) {
  return [
    h(
      'p',
      { class: 'soft', key: 'lead' },
      `${counted(failing.length, 'code')} came in more than one import of the last 14 days.`,
    ),
    dataTable({
      caption: 'Codes that came in several imports',
      columns: COLUMNS,
      items: failing,
      keyOf: ({ code }) => code,
    }),
  ];
}
