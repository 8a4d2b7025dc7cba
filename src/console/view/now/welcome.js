/** For the first visit: what this is, and something to try. */
import { h } from '../../element.js';
import { usePlace } from '../../place.js';

/** @param {{ isSandbox: boolean }} properties */
export function Welcome({ isSandbox }) {
  const { isOperator } = usePlace();
  return h(
    'div',
    { class: 'welcome' },
    h(
      'p',
      null,
      h('b', null, 'rollcall adds members to chat groups in bulk'),
      ': give it a file that says who belongs to which group, and it sends the memberships and reports what happened to every row.',
    ),
    isSandbox &&
      h(
        'p',
        null,
        h('b', null, 'This server sends to a sandbox'),
        ': a local copy of the chat service. You can try everything; nothing reaches real users.',
      ),
    isOperator
      ? h(
          'p',
          null,
          'To begin, choose a file below. To see what one looks like, download a template or press “Try a sample”.',
        )
      : h('p', null, 'There are no imports yet. An operator can start the first one.'),
  );
}
