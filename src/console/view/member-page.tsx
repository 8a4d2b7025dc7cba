/** Users by a part of their UID, and what every import did to one of them. */
import { useSignal } from '@preact/signals';
import { counted } from '../../text/wording.ts';
import type { FoundMember, HistoryEntry, MemberNow, MembershipNow } from '../answers.ts';
import { fileName, outcomeLabel, STATE_GROUPS } from '../import-words.ts';
import { EntryForm, useWork, WorkButton } from '../kit/actions.tsx';
import {
  Badge,
  Card,
  Coded,
  Empty,
  ErrorPlace,
  foreign,
  importHref,
  memberHref,
  OutcomeMark,
  Time,
} from '../kit/elements.tsx';
import { focusField } from '../kit/form.tsx';
import { type Column, List, MoreButton } from '../kit/list.tsx';
import { usePlace, useTitle } from '../place.ts';
import { addressOf, call, query } from '../requests.ts';
import { usePages } from '../use-answer.ts';

const ENTRIES = 100;

/** A shorter text is taken for a whole UID, as the search takes no less. */
const MIN_OF_UID = 3;

export function Page() {
  const { param: uid, query: asked, isOperator, go } = usePlace();
  const text = asked.get('text') ?? '';
  useTitle(uid === '' ? '' : `History of ${uid}`);
  return (
    <>
      <h1>{uid === '' ? 'Members' : <>History of {foreign(uid)}</>}</h1>
      <search>
        <EntryForm
          key={uid || text}
          fields={SEARCH}
          initial={{ uid: uid || text }}
          button="Search"
          isKept
          onSend={async ({ uid: wanted = '' }) => {
            if (wanted === '') focusField('uid');
            else go(wanted.length < MIN_OF_UID ? memberHref(wanted) : `/members${query({ text: wanted })}`);
          }}
        />
      </search>
      {uid !== '' ? (
        <div class="stack">
          {isOperator && <WhereNow uid={uid} />}
          <Card id="history" title="History">
            <History uid={uid} />
          </Card>
        </div>
      ) : text !== '' ? (
        <div class="card col">
          <FoundMembers text={text} />
        </div>
      ) : (
        <Empty>Enter a UID, or {MIN_OF_UID} characters of it or more, to see what every import did to this user.</Empty>
      )}
    </>
  );
}

const SEARCH = { uid: { label: 'UID of a user, or a part of it', type: 'search' } } as const;

const HISTORY_COLUMNS: Column<HistoryEntry>[] = [
  { label: 'When', kind: 'time', cell: 'at' },
  {
    label: 'Import',
    kind: 'main',
    cell: ({ importId, file, line }) => (
      <>
        <a href={importHref(importId)}>{foreign(fileName(file))}</a>
        <span class="soft"> row {line}</span>
      </>
    ),
  },
  { label: 'Group', cell: 'guid' },
  { label: 'Region', cell: 'region' },
  { label: 'Scope', cell: 'scope' },
  {
    label: 'Outcome',
    cell: ({ status, scope, state }) => (
      <OutcomeMark
        outcome={status === 'unprocessed' && !STATE_GROUPS['stopped early'].includes(state) ? '' : status}
        scope={scope}
      />
    ),
  },
  { label: 'Message', kind: 'wide', cell: ({ code, message }) => <Coded code={code} text={foreign(message)} /> },
];

function History({ uid }: { uid: string }) {
  const pages = usePages(addressOf('GET /v1/members/:uid/history', { uid }), {
    name: 'entries',
    limit: ENTRIES,
  });
  return (
    <>
      <List
        pages={pages}
        caption={`What imports did to ${uid}`}
        noun="rows"
        columns={HISTORY_COLUMNS}
        // A row of one import may stand there twice in all but its outcome; entries only ever follow.
        keyOf={(_, index) => index}
        opens={({ file, line }) => `Details of row ${line} in ${fileName(file)}`}
        loading="Searching all imports …"
        empty={
          <>
            No import has a row for {foreign(uid)}. Upper and lower case do not matter. To search for a part of a UID,
            enter 3 characters or more.
          </>
        }
      />
      <Unread unread={pages.shown.unread} />
    </>
  );
}

const USER_COLUMNS: Column<FoundMember>[] = [
  { label: 'User', kind: 'main', cell: ({ uid }) => <a href={memberHref(uid)}>{foreign(uid)}</a> },
  {
    label: 'Newest import',
    cell: ({ newest: { importId, file } }) => <a href={importHref(importId)}>{foreign(fileName(file))}</a>,
  },
  { label: 'Made', cell: ({ newest: { createdAt } }) => <Time iso={createdAt} /> },
];

function FoundMembers({ text }: { text: string }) {
  const pages = usePages(addressOf('GET /v1/members', { query: { text } }), { name: 'members' });
  const { items, cursor, error, unread } = pages.shown;
  const users = items && together(items, text);
  return (
    <>
      <p role="status">
        {users !== undefined && users.length > 0 && (
          <>
            {counted(users.length, 'user')} with {foreign(text)}
            {cursor !== null ? ' so far. More may follow.' : ' in the UID.'}
          </>
        )}
      </p>
      <List
        pages={{ items: users, error }}
        caption="Users found"
        noun="users"
        columns={USER_COLUMNS}
        keyOf={({ uid }) => uid.toLowerCase()}
        loading="Searching all imports …"
        empty={<>No import has a user with {foreign(text)} in the UID. Upper and lower case do not matter.</>}
      />
      <MoreButton pages={pages} noun="users" />
      <Unread unread={unread} />
    </>
  );
}

/** Imports in which nothing could be looked up. */
function Unread({ unread }: { unread: ReadonlySet<string> }) {
  return (
    <div role="status">
      {unread.size > 0 && (
        <p class="notice attention">
          {counted(unread.size, 'import')} could not be read, so what {unread.size === 1 ? 'it' : 'they'} did is not
          here: {[...unread].map((id, at) => [at > 0 && ', ', <a href={importHref(id)}>{id}</a>])}.
        </p>
      )}
    </div>
  );
}

/** Each user once, with the newest import; the user with exactly this UID comes first. @param items newest import first */
function together(items: readonly FoundMember[], text: string) {
  const users = [...Map.groupBy(items, ({ uid }) => uid.toLowerCase()).values()].flatMap(([newest]) => newest ?? []);
  const isExact = ({ uid }: FoundMember) => Number(uid.toLowerCase() === text.toLowerCase());
  return users.toSorted((one, other) => isExact(other) - isExact(one));
}

function WhereNow({ uid }: { uid: string }) {
  const work = useWork();
  const found = useSignal<MemberNow | undefined>(undefined);
  const ask = () =>
    work.start(async (signal) => {
      found.value = await call('POST /v1/members/:uid/ask', { uid }, signal);
    });
  const now = found.value;
  return (
    <Card id="now" title="Now">
      <p role="status">
        {work.busy
          ? 'Asking the service …'
          : now === undefined
            ? 'Imports show what they did. The service knows in which groups the user is now; asking takes a few calls of the rate.'
            : summary(now)}
      </p>
      <div class="buttons row">
        <WorkButton busy={work.busy} onClick={ask}>
          {now === undefined ? 'Ask where the user is now' : 'Ask again'}
        </WorkButton>
      </div>
      <ErrorPlace error={work.error} />
      {now?.regions.map(({ region, problem, isWhole }) =>
        problem !== null ? (
          <p key={region} class="note">
            Nothing is known of region {region}: {foreign(problem)}.
          </p>
        ) : (
          !isWhole && (
            <p key={region} class="note">
              The service does not give all groups of the user in {region}: those in which no import put the user may be
              missing.
            </p>
          )
        ),
      )}
      {now?.historyIsWhole === false && (
        <p class="note">Only the newest 1,000 rows of the user, and the newest 500 imports, were compared.</p>
      )}
      {now !== undefined && (
        <List
          pages={{ items: now.groups, error: undefined }}
          caption="Groups of the user now"
          noun="groups"
          columns={GROUP_COLUMNS}
          keyOf={({ region, guid }) => `${region} ${guid}`}
          empty="No group is known."
        />
      )}
    </Card>
  );
}

function summary({ groups, regions, askedAt }: MemberNow) {
  if (regions.every(({ problem }) => problem !== null)) return 'The service did not say in which groups the user is.';
  const member = groups.filter(({ now }) => now === 'member').length;
  const differing = groups.filter(({ differs }) => differs).length;
  return (
    <>
      In {member === 0 ? 'no group' : counted(member, 'group')}, as the service said <Time iso={askedAt} />
      {differing === 0
        ? '. Nothing differs from what imports left.'
        : `. ${counted(differing, 'group')} ${differing === 1 ? 'is' : 'are'} not as imports left ${differing === 1 ? 'it' : 'them'}.`}
    </>
  );
}

const GROUP_COLUMNS: Column<MembershipNow>[] = [
  { label: 'Group', kind: 'main', cell: 'guid' },
  { label: 'Region', cell: 'region' },
  {
    label: 'Now',
    kind: 'wide',
    cell: (membership) => {
      const { differs, history } = membership;
      if (!differs || history === null) return placeWords(membership);
      const left = outcomeLabel(history.status, history.scope);
      return (
        <>
          <Badge tone="attention">differs</Badge> in the history as {left}, {placeWords(membership)} now
        </>
      );
    },
  },
  {
    label: 'In the history',
    cell: ({ history }) =>
      history !== null && (
        <>
          {outcomeLabel(history.status, history.scope)}, row {history.line},{' '}
          {history.at !== null && <Time iso={history.at} />}
        </>
      ),
  },
  {
    label: 'Import',
    cell: ({ history }) =>
      history === null ? (
        <span class="soft">no import</span>
      ) : (
        <a href={importHref(history.importId)}>{foreign(fileName(history.file))}</a>
      ),
  },
];

const PLACES = {
  banned: 'banned',
  'not-member': 'not a member',
  'no-group': 'there is no such group',
  unknown: 'not known',
};

function placeWords({ now, scope }: MembershipNow) {
  return now === 'member' ? (scope ?? 'a member') : PLACES[now];
}
