import { h } from '../element.js';

/** @import { Place } from '../place.d.ts' */

/** @param {Place} place */
export function notFoundPage({ setTitle }) {
  setTitle('Not found');
  return [
    h('h1', {}, 'There is no such page'),
    h(
      'p',
      {},
      h('code', {}, location.pathname),
      ' does not exist. ',
      h('a', { href: '/' }, 'All imports'),
      ' show everything there is.',
    ),
  ];
}
