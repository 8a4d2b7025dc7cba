/** The console's start: which page a path shows, and how one gets from page to page without loading anew. */
import { ApiError, access, query, request } from './api.js';
import { connection } from './connection.js';
import { h } from './element.js';
import { main, markCurrent, showSession, showVersion, watchConnection } from './frame.js';
import { errorNotice } from './notice.js';
import { importPage } from './view/import.js';
import { importsPage } from './view/imports.js';
import { loginPage } from './view/login.js';
import { memberPage } from './view/member.js';
import { notFoundPage } from './view/not-found.js';
import { schedulesPage } from './view/schedules.js';
import { settingsPage } from './view/settings.js';
import { syncPage } from './view/sync.js';
import { syncsPage } from './view/syncs.js';

/** @import { Session, Settings } from './answers.d.ts' */
/** @import { Page } from './place.d.ts' */

/** @type {readonly { pattern: RegExp, title: string, page: Page }[]} */
const ROUTES = [
  { pattern: /^\/$/, title: 'Imports', page: importsPage },
  { pattern: /^\/imports\/([^/]+)$/, title: 'Import', page: importPage },
  { pattern: /^\/syncs$/, title: 'Syncs', page: syncsPage },
  { pattern: /^\/syncs\/([^/]+)$/, title: 'Sync', page: syncPage },
  { pattern: /^\/schedules$/, title: 'Schedules', page: schedulesPage },
  { pattern: /^\/members(?:\/([^/]+))?$/, title: 'Members', page: memberPage },
  { pattern: /^\/settings$/, title: 'Settings', page: settingsPage },
  { pattern: /^\/login$/, title: 'Log in', page: loginPage },
];

/** @type {Session} */
const NOBODY = { role: 'viewer', name: '', tokenRequired: true };

/** @type {Session | null} */
let session = null;
let leaving = new AbortController();
/** Path of the page that is shown. */
let shownPath = '';

/** @param {string} path */
function routeOf(path) {
  for (const route of ROUTES) {
    const match = route.pattern.exec(path);
    if (match !== null) return { ...route, param: decoded(match[1] ?? '') };
  }
  return { title: 'Not found', page: notFoundPage, param: '' };
}

/** @param {string} text */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** @param {string} title */
function setTitle(title) {
  document.title = `${title} · rollcall`;
}

/** Shows the page of the address. @param {{ moveFocus: boolean }} options */
function show({ moveFocus }) {
  leaving.abort();
  leaving = new AbortController();
  const { pathname, search } = location;
  const { title, page, param } = routeOf(pathname);
  shownPath = pathname;
  setTitle(title);
  markCurrent(pathname);
  const place = {
    param,
    query: new URLSearchParams(search),
    session: session ?? NOBODY,
    signal: leaving.signal,
    setTitle,
    go,
  };
  main.replaceChildren(...page(place));
  if (!moveFocus) return;
  // The page is new: whoever reads it by ear or moves by keyboard begins at its heading.
  const heading = main.querySelector('h1');
  heading?.setAttribute('tabindex', '-1');
  heading?.focus({ preventScroll: true });
  if (location.hash === '') scrollTo(0, 0);
}

/** Goes to a path of the console. Someone who has just logged in is asked for again. @param {string} path */
function go(path) {
  const fromLogin = location.pathname === '/login';
  history.pushState(null, '', path);
  if (fromLogin) void begin({ moveFocus: true });
  else show({ moveFocus: true });
}

/** Asks who is logged in and shows the page, or the login. @param {{ moveFocus: boolean }} options */
async function begin({ moveFocus }) {
  try {
    session = await request('/v1/session');
  } catch (error) {
    session = null;
    if (!(error instanceof ApiError) || error.problem.status !== 401) {
      main.replaceChildren(h('h1', {}, 'rollcall'), errorNotice(error));
      return connection.addEventListener('back', () => void begin({ moveFocus }), { once: true });
    }
  }
  if (session !== null && location.pathname === '/login') history.replaceState(null, '', '/');
  showSession(session, () => toLogin('/'));
  if (session === null && location.pathname !== '/login') return toLogin(location.pathname + location.search);
  show({ moveFocus });
  if (session === null) return;
  const settings = await request('/v1/settings').catch(() => undefined);
  if (settings !== undefined) showVersion(/** @type {Settings} */ (settings).version);
}

/** @param {string} next where to go after it */
function toLogin(next) {
  if (location.pathname === '/login') return;
  session = null;
  showSession(null, () => undefined);
  history.replaceState(null, '', `/login${query({ next: next === '/' ? '' : next })}`);
  show({ moveFocus: true });
}

/** Links to the console's own pages are followed here; all others, and those meant for another tab, by the browser. @param {MouseEvent} event */
function follow(event) {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
    return;
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  if (link === null || link.origin !== location.origin || link.hasAttribute('download') || link.target !== '') return;
  if (link.getAttribute('href')?.startsWith('#') || routeOf(link.pathname).page === notFoundPage) return;
  event.preventDefault();
  go(link.pathname + link.search + link.hash);
}

watchConnection();
access.addEventListener('refused', () => toLogin(location.pathname + location.search));
document.addEventListener('click', follow);
// A link within the page, such as the one that skips to the content, is no other page.
addEventListener('popstate', () => location.pathname !== shownPath && show({ moveFocus: true }));
void begin({ moveFocus: false });
