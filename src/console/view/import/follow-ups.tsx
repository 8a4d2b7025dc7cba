/** The retries and undos of an import: their states and results. */
import type { FollowUp } from '../../answers.ts';
import { importHref, syncHref } from '../../element.tsx';
import { grouped } from '../../format.ts';
import { useListNews } from '../../overview.ts';
import { inPlace } from '../../words.ts';
import { useLeaving } from '../../work.tsx';
import type { LiveImport } from './live-import.ts';

export function FollowUps({ live }: { live: LiveImport }) {
  const view = live.view.value;
  const leaving = useLeaving();
  // An import that is over has no events of its own; the list's tell of it, and of what follows it up.
  const isConcerned = (id: string) =>
    live.over.peek() && (id === view?.id || view?.followUps.some((followUp) => followUp.id === id) === true);
  const ask = () => live.over.peek() && void live.load(leaving());
  useListNews(['sync'], ask, ({ id }) => isConcerned(id));
  useListNews(['imports'], ask, ({ imports }) =>
    imports.some(({ id, retryOf }) => isConcerned(id) || isConcerned(retryOf ?? '')),
  );
  return view === undefined ? null : <FollowUpList followUps={view.followUps} />;
}

export function FollowUpList({ followUps }: { followUps: readonly FollowUp[] }) {
  if (followUps.length === 0) return null;
  return (
    <ul class="plain follow-ups">
      {followUps.map((followUp) => (
        <li key={followUp.id}>{followUpSentence(followUp)}</li>
      ))}
    </ul>
  );
}

function followUpSentence({ kind, id, state, rows, isPart }: FollowUp) {
  const succeeded = rows === null ? '' : `: ${grouped(inPlace(rows))} of ${grouped(rows.read)} rows succeeded`;
  if (kind === 'retry') {
    return (
      <>
        {isPart ? 'Some rows were ' : 'Rows that could be sent again were '}
        <a href={importHref(id)}>retried</a> ({state}){succeeded}.
      </>
    );
  }
  if (kind === 'repair') {
    return (
      <>
        Rows that were repaired were <a href={importHref(id)}>sent</a> ({state}){succeeded}.
      </>
    );
  }
  const link = (text: string) => <a href={syncHref(id)}>{text}</a>;
  if (state === 'applied') return ['This import was ', link('undone'), `${succeeded}.`];
  if (state === 'planned' || state === 'held') return [link('A plan to undo it'), ` waits for a decision (${state}).`];
  return [link('Undo'), `: ${state}${succeeded}.`];
}
