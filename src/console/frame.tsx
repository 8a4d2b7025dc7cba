/** The frame of every page (index.html): navigation, the user, the state of the connection. */
import { signal } from '@preact/signals';
import { type ComponentChildren, render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { counted, grouped } from '../text/wording.ts';
import type { ImportView, Session, Settings } from './answers.ts';
import { shownZone, timeOfDay } from './format.ts';
import { appIn } from './import-words.ts';
import { isAnythingUnsaved } from './kept-entries.ts';
import { Announcements, announce, confirmed, Menu } from './kit/actions.tsx';
import { foreign, Tag } from './kit/elements.tsx';
import { overview } from './live.ts';
import { call, connection } from './requests.ts';
import { UploadsBar } from './uploads-bar.tsx';

/** A page; the navigation has it where it says whether that is in its menu. */
type Entry = { readonly path: string; readonly title: string; readonly inMenu?: boolean };

/** The user who is logged in; null for no one. */
export const session = signal<Session | null>(null);
export const shownPath = signal('');
/** The server's settings; undefined while they are not known. */
export const settings = signal<Settings | undefined>(undefined);

/** A server that was started again may have another target. */
export async function askSettings() {
  if (session.peek() !== null) settings.value = await call('GET /v1/settings', {}).catch(() => undefined);
}

function part(id: string) {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`index.html has no element with the id ${id}`);
  return element;
}

export const main = part('main');

/** Fills the parts of index.html. */
export function showFrame(pages: readonly Entry[], onLogOut: () => void) {
  connection.addEventListener('back', () => announce('The server is back.'));
  render(<SendsTo />, part('sends-to'));
  render(<Navigation pages={pages} onLogOut={onLogOut} />, part('navigation'));
  render(<Visitor />, part('session'));
  render(<Away />, part('banner'));
  render(<UploadsBar />, part('uploads'));
  render(<Announcements />, part('announcements'));
  render(<Version />, part('version'));
  render(<FootLinks />, part('foot'));
}

function Navigation({ pages, onLogOut }: { pages: readonly Entry[]; onLogOut: () => void }) {
  const path = shownPath.value;
  const needs = overview.value?.needs;
  part('navigation').hidden = session.value === null;
  // Pages for operators only are not offered to others.
  const isOperator = (session.value?.role ?? 'viewer') !== 'viewer';
  const offered = pages.filter(({ path }) => path !== '/audit' || isOperator);
  const leave = async () => {
    if (isAnythingUnsaved() && !(await confirmed(LEAVING))) return;
    await call('DELETE /v1/session', {}).catch(() => undefined);
    onLogOut();
  };
  const link = ({ path: own, title }: Entry) => {
    const inside = path === own || (own !== '/' && path.startsWith(`${own}/`));
    const count = needs?.[own.slice(1) as keyof typeof needs] ?? 0;
    return (
      <a key={own} href={own} aria-current={inside ? (path === own ? 'page' : 'true') : undefined}>
        {title}
        {count > 0 && (
          <>
            {' '}
            <span class="count">
              {grouped(count)}
              <span class="unseen"> need you</span>
            </span>
          </>
        )}
      </a>
    );
  };
  return (
    <>
      {offered.filter(({ inMenu }) => inMenu === false).map(link)}
      <Menu label="More">
        {offered.filter(({ inMenu }) => inMenu).map(link)}
        {session.value?.tokenRequired && (
          <button type="button" onClick={leave}>
            Log out
          </button>
        )}
      </Menu>
    </>
  );
}

/** Nobody else gets what was entered, so it is lost. */
const LEAVING = {
  question: 'Log out and lose what you entered?',
  explanation:
    'A form was filled in, or a file was chosen, and nothing was made of it yet. An upload that is under way ends.',
  yes: 'Log out',
  no: 'Stay',
};

function Visitor() {
  if (session.value === null) return null;
  const { name, role } = session.value;
  return (
    <span>
      {foreign(name)}
      <Tag>{role}</Tag>
    </span>
  );
}

/** Describes the work that continues without the server. @param queue undefined: it is not known */
function continuing(queue: Settings['queue'] | undefined) {
  if (queue === undefined) return '';
  if (queue === 'embedded')
    return 'If it has stopped, its imports stand still until it is started again. Nothing is lost.';
  return 'If it has stopped, workers in other processes send what is in the queue; their results are recorded when it is started again. Nothing is lost.';
}

/** Says that the server is away for as long as it is. The seconds count for the eye only. */
function Away() {
  const gone = connection.gone.value;
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (gone === null) return;
    setNow(Date.now());
    const clock = setInterval(() => setNow(Date.now()), 500);
    return () => clearInterval(clock);
  }, [gone]);
  if (gone === null) return null;
  return (
    <>
      <b>The server does not answer.</b>
      <span>
        This page shows how things were at {timeOfDay(gone.asOf)}. {continuing(settings.value?.queue)} This page
        reconnects by itself.
      </span>
      <span aria-hidden>Next attempt in {counted(Math.max(0, Math.ceil((gone.dueAt - now) / 1000)), 'second')}.</span>
      <button type="button" onClick={() => void connection.ask()}>
        Try now
      </button>
    </>
  );
}

/** The clock of the times, and the documentation. */
function FootLinks() {
  return (
    <>
      {session.value !== null && (
        <span>
          Times in <a href="/settings#own">{shownZone()}</a>
        </span>
      )}
      <a href="/docs">API documentation</a>
    </>
  );
}

function Version() {
  const known = settings.value;
  return known === undefined ? 'rollcall' : `rollcall ${known.version}`;
}

/** On every page: a sandbox and the real service cannot be confused. */
function SendsTo() {
  const known = settings.value;
  if (known === undefined || session.value === null) return null;
  const { sandbox, profile, host, apps = [] } = sendsToOf(known);
  return (
    <p class={sandbox ? 'sends-to sandbox' : 'sends-to'} role="note" aria-label="Where this server sends">
      {sandbox ? (
        <>
          <b>Sandbox</b>: nothing reaches real users
        </>
      ) : (
        <>
          <b>Real service</b>: {typeof profile === 'string' && <>profile {foreign(profile)}, </>}
          {foreign(host ?? '')}
          {apps.length > 0 && <> ({foreign(apps.join(', '))})</>}
        </>
      )}
    </p>
  );
}

/** Beside the name of what was made for a sandbox. Where the whole server sends to one, its head says so once. */
export function SandboxTag({ of }: { of: { readonly sandbox: boolean } }) {
  return of.sandbox && settings.value?.sandbox !== true && <Tag>sandbox</Tag>;
}

export interface SendsTo {
  sandbox?: boolean | undefined;
  profile?: string | null | undefined;
  host?: string | undefined;
  /** App ids with their regions. */
  apps?: readonly string[];
}

export function sendsToOf({ sandbox, profile, host, apps }: Settings): SendsTo {
  return { sandbox, profile, host, apps: Object.entries(apps).map(([region, { appId }]) => appIn(region, appId)) };
}

/** Returns the facts about the target of an import or sync; none if it was not stored, such as that of a sandbox. */
export function targetFacts(target: ImportView['target']) {
  if (target === undefined) return [];
  return sendsToFacts({ ...target, apps: Object.entries(target.apps).map(([region, appId]) => appIn(region, appId)) });
}

export function sendsToFacts({ sandbox, profile, host, apps = [] }: SendsTo): (readonly [string, ComponentChildren])[] {
  return [
    ['Profile', !sandbox && typeof profile === 'string' && foreign(profile)],
    ['Service', host !== undefined && (sandbox ? 'the sandbox: nothing real changes' : <>{foreign(host)}, for real</>)],
    ['Apps', apps.length > 0 && foreign(apps.join(', '))],
  ];
}
