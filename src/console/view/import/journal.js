/** The moves of an import, with their reasons. */
import { useEffect } from 'preact/hooks';
import { useAnswer } from '../../answer.js';
import { importPath } from '../../api.js';
import { Badge, Empty, foreign, h } from '../../element.js';
import { ErrorNotice } from '../../notice.js';
import { Time } from '../../time.js';
import { STATE_TONES } from '../../words.js';

/** @import { Transition } from '../../answers.d.ts' */
/** @import { LiveImport } from './live-import.js' */

/** @param {{ id: string, live: LiveImport }} properties */
export function ImportJournal({ id, live }) {
  /** @type {import('../../answer.js').Answer<{ transitions: Transition[] }>} */
  const { data, error, reload } = useAnswer(importPath(id, '/transitions'));
  const turns = live.turns.value;
  useEffect(() => void reload(), [turns]);
  if (error !== undefined) return h(ErrorNotice, { error });
  if (data === undefined) return h(Empty, {}, 'Loading …');
  if (data.transitions.length === 0) return h(Empty, {}, 'No history yet.');
  return h(
    'ol',
    { class: 'journal' },
    data.transitions.map(({ at, state, reason }, index) =>
      h(
        'li',
        { key: index },
        h(Time, { iso: at, seconds: true }),
        h(Badge, { tone: STATE_TONES[state] }, state),
        h('span', null, foreign(reason)),
      ),
    ),
  );
}
