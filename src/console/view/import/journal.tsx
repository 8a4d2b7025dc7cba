/** The moves of an import, with their reasons. */
import { useEffect } from 'preact/hooks';
import { useAnswer } from '../../answer.ts';
import type { Transition } from '../../answers.ts';
import { importPath } from '../../api.ts';
import { Badge, Empty, foreign } from '../../element.tsx';
import { ErrorNotice } from '../../notice.tsx';
import { Time } from '../../time.tsx';
import { STATE_TONES } from '../../words.ts';
import type { LiveImport } from './live-import.ts';

export function ImportJournal({ id, live }: { id: string; live: LiveImport }) {
  const { data, error, reload } = useAnswer<{ transitions: Transition[] }>(importPath(id, '/transitions'));
  const turns = live.turns.value;
  useEffect(() => void reload(), [turns]);
  if (error !== undefined) return <ErrorNotice error={error} />;
  if (data === undefined) return <Empty>Loading …</Empty>;
  if (data.transitions.length === 0) return <Empty>No history yet.</Empty>;
  return (
    <ol class="journal">
      {data.transitions.map(({ at, state, reason }, index) => (
        <li key={index}>
          <Time iso={at} seconds />
          <Badge tone={STATE_TONES[state]}>{state}</Badge>
          <span>{foreign(reason)}</span>
        </li>
      ))}
    </ol>
  );
}
