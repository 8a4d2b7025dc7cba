/** The imports that ended last. */
import { Badge, Empty, foreign, h, importHref } from '../../element.js';
import { counted, grouped } from '../../format.js';
import { Time } from '../../time.js';
import { fileName, inPlace, leftToDo, stateLabel, stateTone } from '../../words.js';
import { KindTag } from '../imports/columns.js';

/** @import { ImportView } from '../../answers.d.ts' */

/** @param {{ imports: readonly ImportView[] }} properties */
export function Recent({ imports }) {
  if (imports.length === 0) return h(Empty, {}, 'No import has finished yet.');
  return [
    h(
      'ul',
      { key: 'list', class: 'plain recent' },
      imports.map((view) => h('li', { key: view.id }, h(RecentItem, { view }))),
    ),
    h('p', { key: 'all' }, h('a', { href: '/imports' }, 'All imports')),
  ];
}

/** @param {{ view: ImportView }} properties */
function RecentItem({ view }) {
  const { id, file, rows, finishedAt, createdAt } = view;
  const wrong = leftToDo(view);
  return [
    h('span', { key: 'name' }, h('a', { href: importHref(id) }, foreign(fileName(file))), h(KindTag, { view })),
    h(Badge, { key: 'state', tone: stateTone(view) }, stateLabel(view)),
    h(
      'span',
      { key: 'text', class: 'soft' },
      `${grouped(inPlace(rows))} of ${counted(rows.read, 'row')} succeeded`,
      wrong > 0 && `, ${grouped(wrong)} ${wrong === 1 ? 'needs' : 'need'} attention`,
      ' · ',
      h(Time, { iso: finishedAt ?? createdAt }),
    ),
  ];
}
