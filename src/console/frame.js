/** What surrounds every page (index.html): navigation, who is logged in, whether the server answers, what is said aloud. */
import { computed, signal } from '@preact/signals';
import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { request } from './api.js';
import { connection } from './connection.js';
import { confirmed } from './dialog.js';
import { foreign, h, Tag } from './element.js';
import { counted, grouped, timeOfDay } from './format.js';
import { isAnythingUnsaved } from './kept-entries.js';
import { KeysButton, KeysDialog } from './keys.js';
import { overview } from './overview.js';
import { shownZone } from './preferences.js';
import { UploadsBar } from './uploads-bar.js';

/** @import { Session, Settings } from './answers.d.ts' */

/** @typedef {readonly [path: string, name: string]} Entry a link of the navigation */

/** Who is logged in; null for no one. */
export const session = signal(/** @type {Session | null} */ (null));
/** Path of the page that is shown. */
export const shownPath = signal('');
/** How the server was started; undefined while it is not known. */
export const settings = signal(/** @type {Settings | undefined} */ (undefined));
const said = signal('');

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
  said.value = text;
}

/**
 * Fills the parts of index.html.
 * @param {readonly { readonly entry?: Entry }[]} pages
 * @param {() => void} onLogOut after logging out
 */
export function showFrame(pages, onLogOut) {
  connection.addEventListener('back', () => announce('The server is back.'));
  const entries = pages.flatMap(({ entry }) => (entry === undefined ? [] : [entry]));
  render(h(Navigation, { entries }), part('navigation'));
  render(h(Visitor, { onLogOut }), part('session'));
  render(h(Away, {}), part('banner'));
  render(h(UploadsBar, {}), part('uploads'));
  render(h(Said, {}), part('announcements'));
  render(h(Version, {}), part('version'));
  render(h(FootLinks, {}), part('foot'));
}

/** @param {{ entries: readonly Entry[] }} properties */
function Navigation({ entries }) {
  const path = shownPath.value;
  part('navigation').hidden = session.value === null;
  // What only operators may see is not offered to others.
  const offered = entries.filter(([own]) => own !== '/audit' || (session.value?.role ?? 'viewer') !== 'viewer');
  return offered.map(([own, name]) => {
    const inside = path === own || (own !== '/' && path.startsWith(`${own}/`));
    const count = NEEDS[own]?.value ?? 0;
    return h(
      'a',
      { key: own, href: own, 'aria-current': inside ? (path === own ? 'page' : 'true') : undefined },
      name,
      count > 0 && [
        ' ',
        h('span', { key: 'count', class: 'count' }, grouped(count), h('span', { class: 'unseen' }, ' need you')),
      ],
    );
  });
}

/** Nobody else gets what was entered, so it is lost. */
const LEAVING = {
  question: 'Log out and lose what you entered?',
  explanation:
    'A form was filled in, or a file was chosen, and nothing was made of it yet. An upload that is under way ends.',
  yes: 'Log out',
  no: 'Stay',
};

/** How many things on a page need a person: counts, so that progress, which comes each second, draws nothing anew. */
const needs = {
  imports: computed(() => overview.value?.needs.imports ?? 0),
  syncs: computed(() => overview.value?.needs.syncs ?? 0),
  schedules: computed(() => overview.value?.needs.schedules ?? 0),
};
/** @type {Readonly<Record<string, import('@preact/signals').ReadonlySignal<number>>>} */
const NEEDS = { '/imports': needs.imports, '/syncs': needs.syncs, '/schedules': needs.schedules };

/** @param {{ onLogOut: () => void }} properties */
function Visitor({ onLogOut }) {
  if (session.value === null) return null;
  const { name, role, tokenRequired } = session.value;
  const leave = async () => {
    if (isAnythingUnsaved() && !(await confirmed(LEAVING))) return;
    await request('/v1/session', { method: 'DELETE' }).catch(() => undefined);
    onLogOut();
  };
  return [
    h('span', { class: 'who' }, foreign(name), h(Tag, {}, role)),
    tokenRequired && h('button', { class: 'quiet', onClick: leave }, 'Log out'),
  ];
}

/** What goes on without the server. @param {Settings['queue'] | undefined} queue undefined: it is not known */
function continuing(queue) {
  if (queue === undefined) return '';
  if (queue === 'embedded')
    return 'If it has stopped, its imports stand still until it is started again. Nothing is lost.';
  return 'If it has stopped, workers elsewhere send what is in the queue; their results are recorded when it is started again. Nothing is lost.';
}

/** Says that the server is away for as long as it is. The seconds count for the eye only. */
function Away() {
  const dueAt = connection.dueAt.value;
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (dueAt === null) return;
    setNow(Date.now());
    const clock = setInterval(() => setNow(Date.now()), 500);
    return () => clearInterval(clock);
  }, [dueAt]);
  const asOf = connection.asOf.value;
  if (dueAt === null || asOf === null) return null;
  return [
    h('b', null, 'The server does not answer.'),
    h(
      'span',
      null,
      `This page shows how things were at ${timeOfDay(asOf)}. ${continuing(settings.value?.queue)} This page reconnects by itself.`,
    ),
    h(
      'span',
      { 'aria-hidden': true },
      `Next attempt in ${counted(Math.max(0, Math.ceil((dueAt - now) / 1000)), 'second')}.`,
    ),
    h('button', { onClick: () => void connection.ask() }, 'Try now'),
  ];
}

function Said() {
  return said.value;
}

/** The clock of the times, the keys, and the documentation. */
function FootLinks() {
  return [
    session.value !== null && h('span', { key: 'zone' }, 'Times in ', h('a', { href: '/settings#own' }, shownZone())),
    session.value !== null && h(KeysButton, { key: 'keys' }),
    h('a', { key: 'docs', href: '/docs' }, 'API documentation'),
    h(KeysDialog, { key: 'dialog' }),
  ];
}

function Version() {
  const known = settings.value;
  return [
    known === undefined ? 'rollcall' : `rollcall ${known.version}`,
    known?.sandbox === true && h(Tag, { key: 'sandbox' }, 'sandbox'),
  ];
}
