import { h } from '../element.js';

export function NotFoundPage() {
  return [
    h('h1', null, 'There is no such page'),
    h(
      'p',
      null,
      h('code', null, location.pathname),
      ' does not exist. ',
      h('a', { href: '/imports' }, 'All imports'),
      ' show everything there is.',
    ),
  ];
}
