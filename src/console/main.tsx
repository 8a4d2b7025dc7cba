/** The console's start: which page a path shows, and the way from page to page without a new load. */
import { render } from 'preact';
import { askSettings, main, session, showFrame, shownPath } from './frame.tsx';
import { forgetAll } from './kept-entries.ts';
import { showOver } from './kit/actions.tsx';
import { ErrorNotice } from './kit/elements.tsx';
import { leaveOverview, watchOverview } from './live.ts';
import { PAGES } from './pages.ts';
import { PlaceContext, pageTitle, shownSearch, showTitle } from './place.ts';
import { ApiError, access, call, connection, query } from './requests.ts';
import { LoginDialog } from './view/login-page.tsx';

/** Counts the pages that were shown: each begins afresh, also one of the same kind. */
let visit = 0;

function routeOf(path: string) {
  for (const route of PAGES) {
    const match = new RegExp(`^${route.path.replace(/:\w+/, '([^/]+)')}$`).exec(path);
    if (match !== null) return { ...route, param: decoded(match[1] ?? '') };
  }
  return { title: 'Not found', load: notFound, param: '' };
}

function decoded(text: string) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

async function show({ moveFocus }: { moveFocus: boolean }) {
  const { pathname, search } = location;
  const { title, load, param } = routeOf(pathname);
  shownPath.value = pathname;
  shownSearch.value = search;
  pageTitle.value = title;
  visit += 1;
  const own = visit;
  const { Page } = await load().catch(unloaded);
  // Another one was opened meanwhile.
  if (own !== visit) return;
  const role = session.peek()?.role;
  const isAdmin = role === 'admin';
  const isOperator = isAdmin || role === 'operator';
  const place = { param, query: new URLSearchParams(search), isOperator, isAdmin, go };
  render(
    <PlaceContext.Provider value={place} key={visit}>
      <Page />
    </PlaceContext.Provider>,
    main,
  );
  if (!moveFocus) return;
  focusHeading();
  if (location.hash === '') scrollTo(0, 0);
}

/** Screen readers and the keyboard begin there. */
function focusHeading() {
  const heading = main.querySelector('h1');
  heading?.setAttribute('tabindex', '-1');
  heading?.focus({ preventScroll: true });
}

/** Stands for a page whose script could not be loaded: the server is away, or has another version than this page. */
function unloaded() {
  connection.lost();
  connection.addEventListener('back', () => void show({ moveFocus: false }), { once: true });
  const Page = () => (
    <>
      <h1>This page could not be loaded</h1>
      <button type="button" class="main" onClick={() => location.reload()}>
        Load it again
      </button>
    </>
  );
  return { Page };
}

/** The scripts of the other pages come while nothing else is done: they open at once, and without the server. */
function loadOthers() {
  const load = () => void Promise.allSettled(PAGES.map((page) => page.load()));
  if ('requestIdleCallback' in globalThis) requestIdleCallback(load);
  else setTimeout(load);
}

/** Goes to a path of the console. Someone who has just logged in is asked for again. */
function go(path: string) {
  const fromLogin = location.pathname === '/login';
  history.pushState(null, '', path);
  if (fromLogin) void begin({ moveFocus: true });
  else void show({ moveFocus: true });
}

/** Asks who is logged in and shows the page, or the login. */
async function begin({ moveFocus }: { moveFocus: boolean }) {
  // It comes beside the answer.
  void routeOf(location.pathname)
    .load()
    .catch(() => undefined);
  try {
    session.value = await call('GET /v1/session', {});
  } catch (error) {
    session.value = null;
    if (!(error instanceof ApiError) || error.problem.status !== 401) {
      render(
        <>
          <h1>rollcall</h1>
          <ErrorNotice error={error} />
        </>,
        main,
      );
      return connection.addEventListener('back', () => void begin({ moveFocus }), { once: true });
    }
  }
  const isKnown = session.peek() !== null;
  if (isKnown && location.pathname === '/login') history.replaceState(null, '', '/');
  if (!isKnown && location.pathname !== '/login') return toLogin(location.pathname + location.search);
  if (isKnown) watchOverview();
  // They say what stands in the head: the page below it does not move.
  await askSettings();
  await show({ moveFocus });
  if (isKnown) loadOthers();
}

/** @param next where to go after it */
function toLogin(next: string) {
  if (location.pathname === '/login') return;
  session.value = null;
  forgetAll();
  leaveOverview();
  history.replaceState(null, '', `/login${query({ next: next === '/' ? '' : next })}`);
  void show({ moveFocus: true });
}

/** The token counts no more. The user can log in over the page and go on with it. */
function askAgain() {
  const before = session.peek();
  const path = location.pathname + location.search;
  if (before === null) return toLogin(path);
  if (document.querySelector('dialog.login') !== null) return;
  leaveOverview();
  const onLoggedIn = async () => {
    session.value = await call('GET /v1/session', {});
    close();
    watchOverview();
    // A user with another role sees another page.
    if (session.peek()?.role !== before.role) void show({ moveFocus: false });
    connection.dispatchEvent(new Event('back'));
  };
  const onLeave = () => {
    close();
    toLogin(path);
  };
  const close = showOver(<LoginDialog onLoggedIn={() => void onLoggedIn()} onLeave={onLeave} />);
}

/** Links to the console's own pages are followed here; all others, and those meant for another tab, by the browser. */
function follow(event: MouseEvent) {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
    return;
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  if (link === null || link.origin !== location.origin || link.hasAttribute('download') || link.target !== '') return;
  if (link.classList.contains('skip')) {
    event.preventDefault();
    return focusHeading();
  }
  if (link.getAttribute('href')?.startsWith('#') || routeOf(link.pathname).load === notFound) return;
  event.preventDefault();
  go(link.pathname + link.search + link.hash);
}

main.replaceChildren();
showFrame(PAGES, () => toLogin('/'));
showTitle();
access.addEventListener('refused', askAgain);
connection.addEventListener('back', () => void askSettings());
document.addEventListener('click', follow);
// A link within the page, such as the one that skips to the content, is no other page.
addEventListener('popstate', () => {
  const isShown = location.pathname === shownPath.peek() && location.search === shownSearch.peek();
  if (!isShown) void show({ moveFocus: true });
});
void begin({ moveFocus: false });

async function notFound() {
  const Page = () => (
    <>
      <h1>There is no such page</h1>
      <p>
        <code>{location.pathname}</code> does not exist. <a href="/imports">All imports</a> show everything there is.
      </p>
    </>
  );
  return { Page };
}
