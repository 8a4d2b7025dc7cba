/** Where someone comes who may not see the board of queues, which is a page of its own. */
import { Empty, h } from '../element.js';

export function QueuesPage() {
  return [
    h('h1', { key: 'title' }, 'Queues'),
    h(
      Empty,
      { key: 'why' },
      'The queues are for operators. ',
      h('a', { href: '/settings' }, 'Settings'),
      ' show what each region is doing.',
    ),
  ];
}
