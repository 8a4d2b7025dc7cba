/** The settings of the server, the state of its regions, and a person's choices for this browser. */
import { useSignal } from '@preact/signals';
import { useAnswer } from '../answer.ts';
import type { Settings } from '../answers.ts';
import { Card, Empty, Facts, foreign } from '../element.tsx';
import { counted, grouped, size } from '../format.ts';
import { ErrorNotice } from '../notice.tsx';
import { PARTS } from '../parts.ts';
import { usePlace } from '../place.ts';
import { placeWords } from '../words.ts';
import { Queues } from './queues.tsx';
import { OwnSettings } from './settings/own.tsx';
import { Tokens } from './settings/tokens.tsx';

export function SettingsPage() {
  const { isAdmin } = usePlace();
  const changes = useSignal(0);
  return (
    <>
      <h1>Settings</h1>
      <p class="lead">
        The server is set up when it starts: by flags, the environment or <code>rollcall.config.json</code>. Keys are
        never shown.
      </p>
      <Card id="server" title="This server">
        <ServerFacts key={changes.value} />
      </Card>
      <Card id="regions" title="Regions and their queues">
        <Queues />
      </Card>
      {isAdmin && (
        <Card id="tokens" title="Tokens">
          <Tokens />
        </Card>
      )}
      {isAdmin && PARTS.Notifications !== undefined && (
        <Card id="notifications" title="Notifications">
          <PARTS.Notifications onChanged={() => void changes.value++} />
        </Card>
      )}
      <Card id="own" title="This browser">
        <OwnSettings />
      </Card>
    </>
  );
}

function ServerFacts() {
  const { data: settings, error } = useAnswer<Settings>('/v1/settings');
  if (error !== undefined) return <ErrorNotice error={error} />;
  if (settings === undefined) return <Empty>Loading …</Empty>;
  const isEmbedded = settings.queue === 'embedded';
  return (
    <Facts
      class="facts roomy"
      list={[
        [
          'Sends to',
          settings.sandbox
            ? 'a sandbox in this process; nothing reaches the service'
            : foreign(settings.host ?? 'no host is set'),
        ],
        ['Apps', <Apps apps={settings.apps} />],
        ['Default region', settings.defaultRegion],
        ['Calls a minute', `${grouped(settings.callsPerMinute)} for each app`],
        ['Concurrent calls', `${grouped(settings.concurrency)} in each region`],
        ['Queue', isEmbedded ? 'embedded (in memory)' : settings.queue],
        ['Workers', isEmbedded || settings.withWorkers ? 'in this process' : 'processes elsewhere'],
        ['Largest upload', size(settings.maxUploadBytes)],
        ['Retention of finished imports', settings.keepDays === null ? 'forever' : counted(settings.keepDays, 'day')],
        ['Notifies', settings.notifyHost === null ? 'no one' : foreign(settings.notifyHost)],
        ['Schedules may read', places(settings.sources, settings)],
        ['Reports may be written to', places(settings.reportTargets ?? [], settings)],
        ['Version', settings.version],
      ]}
    />
  );
}

/** Places that the server allows. */
function places(allowed: readonly string[], { namedSources }: Settings) {
  if (allowed.length === 0) return 'none';
  return (
    <ul class="plain">
      {allowed.map((place) => (
        <li key={place}>{foreign(placeWords(place, namedSources))}</li>
      ))}
    </ul>
  );
}

function Apps({ apps }: { apps: Settings['apps'] }) {
  const list = Object.entries(apps);
  if (list.length === 0) return 'none is set: nothing can be sent';
  return (
    <ul class="plain">
      {list.map(([region, { appId, keySet }]) => (
        <li key={region}>
          <b>{region}</b> {foreign(appId)}
          {keySet ? ', key set' : ', no key here'}
        </li>
      ))}
    </ul>
  );
}
