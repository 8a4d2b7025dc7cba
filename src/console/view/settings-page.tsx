/** The settings of the server, the state of its regions, and a person's choices for this browser. */

import type { Role } from '../../api/operation.ts';
import { Notifications } from '../../features/notify/page.tsx';
import { counted, grouped, sumOf } from '../../text/wording.ts';
import type { RegionQueue, Settings, TokenView, Values } from '../answers.ts';
import { clock, OWN_ZONE, size } from '../format.ts';
import { askSettings, settings } from '../frame.tsx';
import { placeWords, regionSentence } from '../import-words.ts';
import { type ActionButton, Actions, type Asked, textProblem } from '../kit/actions.tsx';
import { showOnce } from '../kit/copy.tsx';
import { Badge, Card, Facts, foreign, Pending, Tag, Time } from '../kit/elements.tsx';
import { type Choice, Control } from '../kit/form.tsx';
import { type Column, List } from '../kit/list.tsx';
import { usePlace } from '../place.ts';
import { addressOf, call } from '../requests.ts';
import { useAnswer } from '../use-answer.ts';

export function Page() {
  const { isAdmin } = usePlace();
  return (
    <>
      <h1>Settings</h1>
      <p class="lead">
        The server is set up when it starts: by flags, the environment or <code>rollcall.config.json</code>. Keys are
        never shown.
      </p>
      <Card id="server" title="This server">
        <ServerFacts />
      </Card>
      <Card id="regions" title="Regions and their queues">
        <Queues />
      </Card>
      {isAdmin && (
        <Card id="tokens" title="Tokens">
          <Tokens />
        </Card>
      )}
      {isAdmin && (
        <Card id="notifications" title="Notifications">
          <Notifications onChanged={() => void askSettings()} />
        </Card>
      )}
      <Card id="own" title="This browser">
        <div class="fields col">
          <ClockChoice />
        </div>
      </Card>
    </>
  );
}

function ServerFacts() {
  const known = settings.value;
  const asked = useAnswer(known === undefined ? addressOf('GET /v1/settings', {}) : null);
  const data = known ?? asked.data;
  if (data === undefined) return <Pending error={asked.error} />;
  const isEmbedded = data.queue === 'embedded';
  return (
    <Facts
      list={[
        [
          'Sends to',
          data.sandbox
            ? 'a sandbox in this process; nothing reaches the service'
            : foreign(data.host ?? 'no host is set'),
        ],
        ['Apps', <Apps apps={data.apps} />],
        ['Default region', data.defaultRegion],
        ['Calls a minute', `${grouped(data.callsPerMinute)} for each app, and ${data.importsPerMinute} in silence`],
        ['Concurrent calls', `up to ${grouped(data.concurrency)} in each region`],
        ['Queue', isEmbedded ? 'embedded (in memory)' : data.queue],
        ['Workers', isEmbedded || data.withWorkers ? 'in this process' : 'in other processes'],
        ['Largest upload', size(data.maxUploadBytes)],
        ['Retention of finished imports', data.keepDays === null ? 'forever' : counted(data.keepDays, 'day')],
        ['Notifies', data.notifyHost === null ? 'no one' : foreign(data.notifyHost)],
        ['Schedules may read', places(data.sources, data)],
        ['Version', data.version],
      ]}
    />
  );
}

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

/** While a region is at work: its queue is in no event. */
const EVERY_MS = 2000;

function isAtWork({ active, waiting, delayed }: RegionQueue) {
  return active + waiting + delayed > 0;
}

const QUEUE_COLUMNS: Column<RegionQueue>[] = [
  { label: 'Region', kind: 'main', cell: 'region' },
  { label: 'Now', kind: 'wide', cell: (status) => regionSentence(status) || 'Idle' },
  { label: 'In flight', kind: 'number', cell: 'active' },
  { label: 'Waiting', kind: 'number', cell: 'waiting' },
  { label: 'Next one waits since', kind: 'time', cell: 'waitingSince' },
  { label: 'To retry', kind: 'number', cell: 'delayed' },
  { label: 'Stalled', kind: 'number', cell: 'stalled' },
  { label: 'Set aside', kind: 'number', cell: 'setAside' },
  { label: 'Workers', kind: 'number', cell: 'workers' },
];

function Queues() {
  const { data, error } = useAnswer(addressOf('GET /v1/regions', {}), {
    news: ['imports', 'sync'],
    everyMs: (known) => (known?.regions.some(isAtWork) ? EVERY_MS : undefined),
  });
  const regions = data?.regions ?? [];
  const stalled = sumOf(regions.map((region) => region.stalled));
  const setAside = sumOf(regions.map((region) => region.setAside));
  return (
    <>
      <List
        pages={{ items: data?.regions, error }}
        caption="What each region is doing"
        noun="regions"
        columns={QUEUE_COLUMNS}
        keyOf={({ region }) => region}
        empty="No region is in use yet. An import starts the regions that it needs."
      />
      {stalled > 0 && (
        <p class="note">
          A worker began {counted(stalled, 'call')} and then ended or stood still. Another worker makes them again.
        </p>
      )}
      {setAside > 0 && (
        <p class="note attention">
          {counted(setAside, 'job')} could not be read: another program must have written what was set aside.
          docs/deploy.md says how to look at them.
        </p>
      )}
    </>
  );
}

function ClockChoice() {
  return (
    <Control
      id="clock"
      label="Times are shown in"
      note="Schedules keep the time zone that each of them names."
      value={clock.value}
      choices={[
        ['local', `local time (${OWN_ZONE})`],
        ['utc', 'UTC'],
      ]}
      onValue={(chosen) => {
        clock.value = chosen === 'utc' ? 'utc' : 'local';
      }}
    />
  );
}

const ROLES: readonly Choice[] = [
  ['viewer', 'viewer: looks'],
  ['operator', 'operator: also acts'],
  ['admin', 'admin: also decides who may'],
];

const LIVES: readonly Choice[] = [
  ['7d', 'in a week'],
  ['30d', 'in 30 days'],
  ['90d', 'in 90 days'],
  ['365d', 'in a year'],
  ['', 'never'],
];

export function Tokens() {
  const { data, error, reload } = useAnswer(addressOf('GET /v1/tokens', {}));
  const make = async (signal: AbortSignal, { name = '', role, expires = '' }: Values) => {
    const body = { name, role: role as Role, ...(expires !== '' && { expires }) };
    const made = await call('POST /v1/tokens', { body }, signal);
    await Promise.all([showOnce(`The token of ${made.name}`, '', made.token), reload()]);
  };
  return (
    <div class="stack">
      <List
        pages={{ items: data?.tokens, error }}
        caption="Tokens, oldest first"
        noun="tokens"
        columns={COLUMNS}
        keyOf={({ id }) => id}
        actions={(token) => ({ list: [revoking(token)], onDone: reload })}
        empty="No tokens yet. Programs and people on other machines need one."
      />
      <Actions list={[{ text: 'New token…', question: NEW_TOKEN, act: make }]} />
    </div>
  );
}

const COLUMNS: Column<TokenView>[] = [
  {
    label: 'For',
    kind: 'main',
    cell: ({ name, own }) => (
      <>
        {foreign(name)}
        {own && <Tag>yours</Tag>}
      </>
    ),
  },
  { label: 'Role', cell: 'role' },
  {
    label: 'Expires',
    cell: ({ expiresAt }) =>
      expiresAt === null ? (
        'never'
      ) : Date.parse(expiresAt) > Date.now() ? (
        <Time iso={expiresAt} />
      ) : (
        <Badge tone="attention">expired</Badge>
      ),
  },
  { label: 'Last used', cell: ({ lastUsedAt }) => (lastUsedAt === null ? 'never' : <Time iso={lastUsedAt} />) },
];

function revoking({ id, name, own }: TokenView): ActionButton {
  return {
    text: 'Revoke…',
    label: `Revoke the token of ${name}`,
    kind: 'danger quiet',
    question: {
      question: `Revoke the token of ${name}?`,
      explanation: own
        ? 'You are logged in with it: you will need another to go on.'
        : 'Who uses it is refused at once, and cannot get it back.',
      yes: 'Revoke token',
      no: 'Keep it',
    },
    act: (signal) => call('DELETE /v1/tokens/:id', { id }, signal),
  };
}

const NEW_TOKEN: Asked = {
  question: 'New token',
  explanation: 'A person or a program logs in with it. The audit log has its name.',
  yes: 'Make token',
  no: 'Cancel',
  fields: {
    name: {
      label: 'For',
      placeholder: 'nightly-job',
      problem: textProblem('Enter who it is for, such as a person or a program', 100),
    },
    role: { label: 'Role', choices: ROLES },
    expires: { label: 'Expires', choices: LIVES },
  },
  initial: { role: 'viewer', expires: '90d' },
};
