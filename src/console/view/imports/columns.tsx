/** The columns of the list of imports. */
import type { ImportView } from '../../answers.ts';
import { Badge, foreign, importHref, Tag, tagHref } from '../../element.tsx';
import { counted, duration, grouped } from '../../format.ts';
import { settings } from '../../frame.tsx';
import { OutcomeBar } from '../../outcome-bar.tsx';
import type { Column } from '../../table.tsx';
import { Time } from '../../time.tsx';
import { fileName, inPlace, isDryRun, isUndone, leftToDo, settled, stateLabel, stateTone } from '../../words.ts';

/** Shows the origin of an import, and its fate, in words beside its name. */
export function KindTag({ view }: { view: ImportView }) {
  return (
    <>
      {view.kind !== 'file' && <Tag>{view.kind}</Tag>}
      {isDryRun(view) && <Tag>dry run</Tag>}
      {view.followUps.some(isUndone) && <Tag>undone</Tag>}
      {/* If the whole server sends to a sandbox, the head says so once. */}
      {view.sandbox && settings.value?.sandbox !== true && <Tag>sandbox</Tag>}
    </>
  );
}

export const COLUMNS: Column<ImportView>[] = [
  {
    label: 'File',
    kind: 'main',
    cell: (view) => (
      <>
        <a href={importHref(view.id)}>{foreign(fileName(view.file))}</a>
        <KindTag view={view} />
        {view.tags.length > 0 && (
          <span class="own-tags">
            {view.tags.map((tag) => (
              <a key={tag} class="tag own" href={tagHref(tag)}>
                {foreign(tag)}
              </a>
            ))}
          </span>
        )}
      </>
    ),
  },
  { label: 'State', cell: (view) => <Badge tone={stateTone(view)}>{stateLabel(view)}</Badge> },
  { label: 'Progress', kind: 'wide', cell: progressOf },
  { label: 'Succeeded', kind: 'number', cell: ({ rows }) => grouped(inPlace(rows)) },
  {
    label: 'Need attention',
    kind: 'number',
    cell: (view) => <span class={leftToDo(view) > 0 ? 'attention' : 'soft'}>{grouped(leftToDo(view))}</span>,
  },
  {
    label: 'Created',
    cell: ({ createdAt, createdBy }) => (
      <>
        <Time iso={createdAt} />
        {createdBy !== '' && <span class="soft"> by {foreign(createdBy)}</span>}
      </>
    ),
  },
  {
    label: 'Took',
    kind: 'number',
    cell: ({ startedAt, finishedAt }) =>
      startedAt !== null && finishedAt !== null ? duration(Date.parse(finishedAt) - Date.parse(startedAt)) : '–',
  },
];

function progressOf({ rows, staging, finishedAt }: ImportView) {
  if (staging !== null) return <span class="soft">{counted(staging.rows, 'row')} read</span>;
  if (rows.read === 0) return <span class="soft">–</span>;
  const text =
    finishedAt === null ? `${grouped(settled(rows))} of ${counted(rows.read, 'row')}` : counted(rows.read, 'row');
  return (
    <div class="progress">
      <OutcomeBar name="Rows by outcome" rows={rows} />
      <span class="soft">{text}</span>
    </div>
  );
}
