/** The start page: what needs a person, what runs, what may be continued, how the nights went, what keeps failing; and the place for a new file. */
import { Card, Empty, h } from '../element.js';
import { counted } from '../format.js';
import { settings } from '../frame.js';
import { overview } from '../overview.js';
import { needed } from '../page-title.js';
import { usePlace } from '../place.js';
import { NewImport } from './new-import.js';
import { Failing } from './now/failing.js';
import { Needs } from './now/needs.js';
import { Nights } from './now/nights.js';
import { Ready } from './now/ready.js';
import { Recent } from './now/recent.js';
import { Running } from './now/running.js';
import { Welcome } from './now/welcome.js';

export function NowPage() {
  const { isOperator } = usePlace();
  const known = overview.value;
  const isNew = known !== undefined && known.imports === 0 && known.nights.length === 0 && known.syncs.length === 0;
  return [
    h('h1', { key: 'title' }, 'Now'),
    isNew ? h(Welcome, { key: 'welcome', isSandbox: settings.value?.sandbox === true }) : h(Lead, { key: 'lead' }),
    known !== undefined && needed(known) > 0 && h(Needs, { key: 'needs', overview: known }),
    known !== undefined &&
      known.running.length + known.queued + known.syncsUnderWay.length > 0 &&
      h(Running, { key: 'running', overview: known }),
    isOperator && h(NewImport, { key: 'new' }),
    known !== undefined &&
      known.ready.imports.length + known.ready.syncs.length > 0 &&
      h(Ready, { key: 'ready', ready: known.ready }),
    known === undefined && h(Empty, { key: 'loading' }, 'Loading …'),
    known !== undefined &&
      known.nights.length > 0 &&
      h(Card, { key: 'nights', id: 'nights', title: 'Last run of each schedule' }, h(Nights, { nights: known.nights })),
    known !== undefined &&
      !isNew &&
      h(
        'div',
        { class: 'pair', key: 'more' },
        h(Card, { id: 'recent', title: 'Finished last' }, h(Recent, { imports: known.recent })),
        known.failing.length > 0 &&
          h(Card, { id: 'failing', title: 'What keeps failing' }, h(Failing, { failing: known.failing })),
      ),
  ];
}

/** In one line, whether there is anything to do. */
function Lead() {
  const known = overview.value;
  if (known === undefined) return null;
  const needs = needed(known);
  const busy = known.running.length;
  return h(
    'p',
    { class: 'lead' },
    needs === 0 ? 'Nothing needs you.' : `${counted(needs, 'thing')} ${needs === 1 ? 'needs' : 'need'} you.`,
    busy + known.queued === 0
      ? ' Nothing is running.'
      : ` ${counted(busy, 'import')} ${busy === 1 ? 'is' : 'are'} running.`,
    settings.value?.sandbox === true && ' This server sends to a sandbox; nothing reaches the service.',
  );
}
