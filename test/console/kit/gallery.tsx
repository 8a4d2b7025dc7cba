/** Every part of the kit in every state, as data. `node test/console/kit/serve.ts` shows it in a browser. */
import { type ComponentChildren, type ComponentProps, render } from 'preact';
import type { RowCounts } from '../../../src/console/answers.ts';
import * as actions from '../../../src/console/kit/actions.tsx';
import { LineChart } from '../../../src/console/kit/chart.tsx';
import { CopyButton, showOnce } from '../../../src/console/kit/copy.tsx';
import * as kit from '../../../src/console/kit/elements.tsx';
import { useFilter } from '../../../src/console/kit/filter.tsx';
import { Drawer, Fields, FoldedFields, Form } from '../../../src/console/kit/form.tsx';
import { type Column, List } from '../../../src/console/kit/list.tsx';
import { PlaceContext } from '../../../src/console/place.ts';
import { ApiError } from '../../../src/console/requests.ts';
import { Pages } from '../../../src/console/use-answer.ts';
import { OUTCOMES } from '../../../src/membership/outcome.ts';

type Parts = Readonly<Record<string, Readonly<Record<string, ComponentChildren>>>>;

const LONG = 'a-name-as-long-as-the-service-allows-and-without-a-place-to-break-'.repeat(2);
const detail = 'The import is being read.';
const REFUSED = new ApiError({ title: '', status: 409, code: 'BUSY', detail, remedy: 'Wait until it is read.' });
const QUESTION = { question: 'Send 850 rows?', explanation: 'They go to the sandbox.', yes: 'Send', no: 'Wait' };
const nothing = async () => undefined;
const every = (count: number) => Object.fromEntries(OUTCOMES.map((outcome) => [outcome, count])) as RowCounts;
const link = (text: string, kind = 'button') => (
  <a class={kind} href="#list">
    {text}
  </a>
);

const ITEMS = [
  { uid: 'ada', group: 'choir', rows: 3, text: '' },
  { uid: LONG, group: 'مجموعة', rows: 1_234_567, text: 'The user with UID ben has already joined the group.' },
  { uid: 'cyd', group: 'band', rows: 0, text: 'The service does not know this group.' },
];
type Item = (typeof ITEMS)[number];
const ROW: Column<Item>[] = [
  { label: 'UID', kind: 'main', sort: 'uid', cell: ({ uid }) => <a href="#list">{kit.foreign(uid)}</a> },
  { label: 'Group', sort: 'guid', cell: ({ group }) => kit.foreign(group) },
  { label: 'State', cell: () => <kit.Badge tone="good">completed</kit.Badge> },
  { label: 'Rows', kind: 'number', cell: ({ rows }) => rows },
  { label: 'Message', kind: 'wide', cell: ({ text }) => <kit.Coded code={text && 'CODE'} text={text} /> },
];
const revoke = (uid: string) => ({ text: 'Revoke…', kind: 'danger quiet', label: `Revoke ${uid}`, act: nothing });

const USERS = { columns: ROW, noun: 'users', keyOf: ({ uid }: Item) => uid, empty: 'No users yet.' };
type Given = Partial<ComponentProps<typeof List<Item>>>;
function list(caption: string, pages: NonNullable<Given['pages']>, given: Given = {}) {
  return <List caption={caption} pages={pages} {...USERS} {...given} />;
}
const rows = (caption: string, items: readonly Item[] | undefined, given?: Given, error?: unknown) =>
  list(caption, { items, error }, given);
const below = ({ uid }: Item) => ({ label: `Details of ${uid}`, content: () => <kit.Empty>Nothing more.</kit.Empty> });

/** The first page of a list that has more. */
const PAGES = new Pages<Item>({ name: 'items', limit: ITEMS.length, most: ITEMS.length });
PAGES.path = '/items';
globalThis.fetch = async () => Response.json({ items: ITEMS, total: 200, nextCursor: 'next' });
void PAGES.restart();

function Filtered() {
  const filter = useFilter({
    search: { label: 'Search', placeholder: 'any column' },
    state: { label: 'State', choices: ['', 'held'] },
    from: { label: 'From', type: 'date' },
  });
  if (!filter.isSet) filter.only({ state: 'held' });
  return <List caption="Filtered to nothing" pages={{ items: [], error: undefined }} filter={filter} {...USERS} />;
}

const FIELDS = {
  text: { label: 'Text', placeholder: 'the default', note: 'A note below it.' },
  long: { label: 'Long values', isLong: true, suggestions: ['choir', 'band'] },
  choice: { label: 'One of several', choices: ['', ['mirror', 'mirror: also those not in the file']] },
  day: { label: 'Day', type: 'date' },
  hour: { label: 'Time', type: 'time' },
  words: { label: 'Words', type: 'search' },
  secret: { label: 'Token', type: 'password' },
  wrong: { label: 'With an error' },
  unknown: { label: 'Choice with an error', choices: ['choir', 'band'] },
  ticked: { label: 'Ticked', ticked: 'true' },
  open: { label: 'Not ticked', ticked: 'true' },
} as const;
const FORM = new Form({ ticked: 'true', wrong: 'ada!', choice: 'mirror' });
FORM.setError('wrong', '“!” cannot be in a UID.');
FORM.setError('unknown', 'Choose one that the service knows.');

const dialogs = {
  Question: () => actions.confirmed({ ...QUESTION, tone: 'main' }),
  Danger: () => actions.confirmed(QUESTION),
  Entry: () => actions.ask({ ...QUESTION, fields: { reason: { label: 'Reason', problem: () => 'Enter a reason.' } } }),
  Secret: () => showOnce('The token of ada', '', 'rc_1234'),
};
const opening = Object.entries(dialogs).map(([text, open]) => ({ text, act: async () => void open() }));
const kinds = ['', 'main', 'quiet', 'danger', 'danger quiet', 'small-button', 'link'];
const buttons = (isBusy: boolean) =>
  kinds.map((kind) => (
    <actions.WorkButton key={kind} busy={isBusy} kind={kind} onClick={nothing}>
      {kind || 'usual'}
    </actions.WorkButton>
  ));
const turn = { at: '2026-11-02T09:30:00Z', state: 'running', reason: 'It was resumed.', who: 'ada' } as const;
const lines = [
  { label: 'sent', colour: '--accent' },
  { label: 'failed', colour: '--failed' },
];
const columns = [
  [0, 200, 180, null, 220],
  [0, 0, 12, null, 40],
];

/** Parts by their names, their states by theirs. */
const PARTS: Parts = {
  Card: {
    facts: <kit.Facts list={[['Rows', 1234], ['Name', LONG], ['When', <kit.Time iso={turn.at} />]]} />, // biome-ignore format: pairs
    empty: <kit.Empty>No import has finished yet.</kit.Empty>,
    journal: <kit.Journal turns={[turn]} tones={{ running: 'busy' }} />,
    steps: <kit.Steps names={['File', 'Columns', 'Review']} at={1} hrefs={['#card']} />,
    notes: <kit.FileNotes notes={[{ code: 'BOM', text: 'The file begins with a byte order mark.' }]} />,
  },
  Notice: {
    calm: <p class="notice calm">The same file was imported yesterday.</p>,
    usual: <p class="notice">Someone else has changed this schedule.</p>,
    attention: <p class="notice attention">The service refused its key.</p>,
    error: <kit.ErrorNotice error={REFUSED} />,
  },
  Badge: {
    tones: (['good', 'busy', 'still', 'attention'] as const).map((tone) => [
      <kit.Badge key={tone} tone={tone}>
        {tone}
      </kit.Badge>,
      ' ',
    ]),
    tags: [<kit.Tag key={0}>dry run</kit.Tag>, link('term-1', 'tag own')],
    count: <span class="count">12</span>,
  },
  Button: {
    kinds: [buttons(false), link('a link'), <CopyButton key={0} text="ada" what="the UID ada" />],
    busy: buttons(true),
    failed: <actions.Actions list={[{ text: 'Fail', act: () => Promise.reject(REFUSED) }]} />,
    menu: (
      <actions.Menu label="More actions" isIcon>
        {buttons(false).slice(0, 2)}
        {link('Edit')}
      </actions.Menu>
    ),
  },
  Dialog: { kinds: <actions.Actions list={opening} /> },
  Progress: {
    bar: <progress max={1} value={0.4} aria-label="Reading the file" />,
    'without an end': <progress aria-label="Sorting the file" />,
    outcomes: [
      <kit.OutcomeBar key="bar" name="All outcomes" rows={{ ...every(100), read: 2000 }} />,
      <kit.Legend key="legend" rows={{ ...every(100), read: 2000 }} over={false} />,
    ],
    'nothing yet': <kit.OutcomeBar name="No outcomes" rows={{ ...every(0), read: 2000 }} />,
    marks: OUTCOMES.map((outcome) => [<kit.OutcomeMark key={outcome} outcome={outcome} />, ' ']),
    chart: <LineChart name="Rows a second" lines={lines} times={[0, 10, 20, 30, 40]} columns={columns} />,
  },
  List: {
    rows: rows('Rows', ITEMS),
    actions: rows('Rows with actions', ITEMS, {
      columns: ROW.slice(0, 2),
      actions: ({ uid }) => ({
        list: [revoke(uid), { text: 'Edit', act: '#list' }],
        // An open menu lies over the rows below it.
        ...(uid === 'cyd' && { menu: { label: 'More actions for cyd', list: [{ text: 'Copy', act: '#list' }] } }),
      }),
    }),
    opened: rows('Rows that open', ITEMS, { unfold: below }),
    'one opened': rows('A row that is open', ITEMS.slice(0, 1), { unfold: below }),
    'a value of all': rows(
      'A value of all',
      ITEMS.map((one) => ({ ...one, group: 'choir' })),
      { columns: [...ROW.slice(0, 1), { label: 'Group', cell: 'group', same: ({ group }) => group }] },
    ),
    pages: list('First page', PAGES),
    loading: rows('Loading', undefined),
    empty: rows('Empty', []),
    'filtered to nothing': <Filtered />,
    failed: rows('Failed', undefined, {}, REFUSED),
  },
  Form: {
    controls: (
      <div class="fields col">
        <Fields form={FORM} fields={FIELDS} />
      </div>
    ),
    folded: <FoldedFields title="Limits" form={FORM} fields={['maxErrors', 'onBehalfOf']} />,
    'as usual': <Drawer title="Options" form={new Form({})} fields={['long']} />,
    'differs from the default': <Drawer title="Options" form={new Form({ long: 'choir' })} fields={['long']} />,
    'with its button': <actions.EntryForm fields={{ name: { label: 'Name' } }} button="Save" onSend={nothing} />,
  },
};

function Gallery() {
  return (
    <>
      <div class="title row">
        <div>
          <p class="note">{link('Kit', '')}</p>
          <h1>Every part in every state</h1>
          <p class="lead">A page head has a headline, a sentence and one button.</p>
        </div>
        {link('New import', 'button main push')}
      </div>
      <nav class="sections" aria-label="Parts of this page">
        {Object.keys(PARTS).map((name) => (
          <a key={name} href={`#${name}`}>
            {name}
          </a>
        ))}
      </nav>
      <div class="stack">
        {Object.entries(PARTS).map(([name, states]) => (
          <kit.Card key={name} id={name} title={name}>
            {Object.entries(states).map(([state, shown]) => (
              <section key={state} aria-label={`${name}: ${state}`}>
                <h3 class="soft">{state}</h3>
                {name === 'Button' ? <div class="buttons row">{shown}</div> : shown}
              </section>
            ))}
          </kit.Card>
        ))}
      </div>
      <actions.Announcements />
    </>
  );
}

/** Someone who may do everything. */
const PLACE = {
  param: '',
  query: new URLSearchParams(),
  isOperator: true,
  isAdmin: true,
  go: () => undefined,
} as const;

render(
  <PlaceContext.Provider value={PLACE}>
    <Gallery />
  </PlaceContext.Provider>,
  document.getElementById('main') ?? document.body,
);
