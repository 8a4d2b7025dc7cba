/** The moves of an import, with their reasons. */
import { importPath, request } from '../../api.js';
import { fill, foreign, h } from '../../element.js';
import { time } from '../../format.js';
import { STATE_TONES } from '../../words.js';

/** @import { Transition } from '../../answers.d.ts' */

/**
 * @param {string} id
 * @param {AbortSignal} signal
 */
export function importJournal(id, signal) {
  const element = h('ol', { class: 'journal' });
  return {
    element,
    load: async () => {
      /** @type {{ transitions: Transition[] }} */
      const { transitions } = await request(importPath(id, '/transitions'), { signal });
      if (transitions.length === 0) return fill(element, h('li', { class: 'empty' }, 'No history yet.'));
      fill(
        element,
        transitions.map(({ at, state, reason }) =>
          h(
            'li',
            {},
            time(at, { seconds: true }),
            h('span', { class: `badge ${STATE_TONES[state]}` }, state),
            h('span', {}, foreign(reason)),
          ),
        ),
      );
    },
  };
}
