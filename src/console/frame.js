/** What surrounds every page (index.html): navigation, who is logged in, whether the server answers, what is said aloud. */
import { request } from './api.js';
import { connection } from './connection.js';
import { fill, foreign, h } from './element.js';
import { counted } from './format.js';

/** @import { Session } from './answers.d.ts' */

/**
 * The element that index.html has under this id.
 * @param {string} id
 */
function part(id) {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`index.html has no element with the id ${id}`);
  return element;
}

export const main = part('main');

/**
 * Has a screen reader say this when it has a moment. For changes of state, not for progress.
 * @param {string} text
 */
export function announce(text) {
  part('announcements').textContent = text;
}

/**
 * Shows who is logged in, and the navigation if anyone is.
 * @param {Session | null} session
 * @param {() => void} onLeave after logging out
 */
export function showSession(session, onLeave) {
  part('navigation').hidden = session === null;
  if (session === null) return fill(part('session'));
  const leave = async () => {
    await request('/v1/session', { method: 'DELETE' }).catch(() => undefined);
    onLeave();
  };
  fill(
    part('session'),
    h('span', { class: 'who' }, foreign(session.name), h('span', { class: 'tag' }, session.role)),
    session.tokenRequired && h('button', { class: 'quiet', onclick: leave }, 'Log out'),
  );
}

/** @param {string} version */
export function showVersion(version) {
  part('version').textContent = `rollcall ${version}`;
}

/**
 * Marks the entry of the navigation under which this path stands.
 * @param {string} path
 */
export function markCurrent(path) {
  for (const link of part('navigation').querySelectorAll('a')) {
    const own = link.getAttribute('href') ?? '';
    const inside = own === '/' ? path === '/' || path.startsWith('/imports/') : path.startsWith(own);
    if (inside) link.setAttribute('aria-current', path === own ? 'page' : 'true');
    else link.removeAttribute('aria-current');
  }
}

/** Says that the server is away for as long as it is. The seconds count for the eye only. */
export function watchConnection() {
  const banner = part('banner');
  const seconds = h('span', { 'aria-hidden': 'true' });
  /** @type {number | undefined} */
  let clock;
  connection.addEventListener('away', () => {
    clearInterval(clock);
    const due = Date.now() + connection.waitS * 1000;
    const count = () =>
      fill(seconds, `Next attempt in ${counted(Math.max(0, Math.ceil((due - Date.now()) / 1000)), 'second')}.`);
    clock = setInterval(count, 500);
    count();
    if (banner.hasChildNodes()) return;
    fill(
      banner,
      h('b', {}, 'The server does not answer.'),
      h('span', {}, 'Imports on other machines continue. This page reconnects by itself.'),
      seconds,
      h('button', { onclick: () => void connection.ask() }, 'Try now'),
    );
  });
  connection.addEventListener('back', () => {
    clearInterval(clock);
    fill(banner);
    announce('The server is back.');
  });
}
