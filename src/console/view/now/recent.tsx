/** The imports that ended last. */
import type { ImportView } from '../../answers.ts';
import { Badge, Empty, foreign, importHref } from '../../element.tsx';
import { counted, grouped } from '../../format.ts';
import { Time } from '../../time.tsx';
import { fileName, inPlace, leftToDo, stateLabel, stateTone } from '../../words.ts';
import { KindTag } from '../imports/columns.tsx';

export function Recent({ imports }: { imports: readonly ImportView[] }) {
  if (imports.length === 0) return <Empty>No import has finished yet.</Empty>;
  return (
    <>
      <ul class="plain recent">
        {imports.map((view) => (
          <li key={view.id}>
            <RecentItem view={view} />
          </li>
        ))}
      </ul>
      <p>
        <a href="/imports">All imports</a>
      </p>
    </>
  );
}

function RecentItem({ view }: { view: ImportView }) {
  const { id, file, rows, finishedAt, createdAt } = view;
  const wrong = leftToDo(view);
  return (
    <>
      <span>
        <a href={importHref(id)}>{foreign(fileName(file))}</a>
        <KindTag view={view} />
      </span>
      <Badge tone={stateTone(view)}>{stateLabel(view)}</Badge>
      <span class="soft">
        {grouped(inPlace(rows))} of {counted(rows.read, 'row')} succeeded
        {wrong > 0 && `, ${grouped(wrong)} ${wrong === 1 ? 'needs' : 'need'} attention`} ·{' '}
        <Time iso={finishedAt ?? createdAt} />
      </span>
    </>
  );
}
