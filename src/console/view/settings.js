/** How this server is set up, what its regions are doing, and what a person has chosen for this browser. */
import { useSignal } from '@preact/signals';
import { Notifications } from '../../features/notify/pages/notifications.js';
import { useAnswer } from '../answer.js';
import { Card, Empty, Facts, foreign, h } from '../element.js';
import { counted, grouped, size } from '../format.js';
import { ErrorNotice } from '../notice.js';
import { usePlace } from '../place.js';
import { Queues } from './queues.js';
import { OwnSettings } from './settings/own.js';
import { Tokens } from './settings/tokens.js';

/** @import { Settings } from '../answers.d.ts' */

export function SettingsPage() {
  const { isAdmin } = usePlace();
  const changes = useSignal(0);
  return [
    h('h1', null, 'Settings'),
    h(
      'p',
      { class: 'lead' },
      'The server is set up when it starts: by flags, the environment or ',
      h('code', null, 'rollcall.config.json'),
      '. Keys are never shown.',
    ),
    h(Card, { id: 'server', title: 'This server' }, h(ServerFacts, { key: changes.value })),
    h(Card, { id: 'regions', title: 'Regions and their queues' }, h(Queues, {})),
    isAdmin && h(Card, { id: 'tokens', title: 'Tokens' }, h(Tokens, {})),
    isAdmin &&
      h(
        Card,
        { id: 'notifications', title: 'Notifications' },
        h(Notifications, { onChanged: () => void changes.value++ }),
      ),
    h(Card, { id: 'own', title: 'This browser' }, h(OwnSettings, {})),
  ];
}

function ServerFacts() {
  /** @type {import('../answer.js').Answer<Settings>} */
  const { data: settings, error } = useAnswer('/v1/settings');
  if (error !== undefined) return h(ErrorNotice, { error });
  if (settings === undefined) return h(Empty, {}, 'Loading …');
  const isEmbedded = settings.queue === 'embedded';
  return h(Facts, {
    class: 'facts roomy',
    list: [
      [
        'Sends to',
        settings.sandbox
          ? 'a sandbox in this process; nothing reaches the service'
          : foreign(settings.host ?? 'no host is set'),
      ],
      ['Apps', h(Apps, { apps: settings.apps })],
      ['Default region', settings.defaultRegion],
      ['Calls a minute', `${grouped(settings.callsPerMinute)} for each app`],
      ['Concurrent calls', `${grouped(settings.concurrency)} in each region`],
      ['Queue', isEmbedded ? 'embedded (in memory)' : settings.queue],
      ['Workers', isEmbedded || settings.withWorkers ? 'in this process' : 'processes elsewhere'],
      ['Largest upload', size(settings.maxUploadBytes)],
      ['Retention of finished imports', settings.keepDays === null ? 'forever' : counted(settings.keepDays, 'day')],
      ['Notifies', settings.notifyHost === null ? 'no one' : foreign(settings.notifyHost)],
      ['Version', settings.version],
    ],
  });
}

/** @param {{ apps: Settings['apps'] }} properties */
function Apps({ apps }) {
  const list = Object.entries(apps);
  if (list.length === 0) return 'none is set: nothing can be sent';
  return h(
    'ul',
    { class: 'plain' },
    list.map(([region, { appId, keySet }]) =>
      h('li', { key: region }, h('b', null, region), ' ', foreign(appId), keySet ? ', key set' : ', no key here'),
    ),
  );
}
