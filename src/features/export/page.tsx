/** The page of exports: the current members of groups, as files that imports and syncs read back. */

import type { Values } from '../../console/answers.ts';
import { targetFacts } from '../../console/frame.tsx';
import { type ActionButton, EntryForm } from '../../console/kit/actions.tsx';
import { Badge, Card, Facts, foreign, Tag } from '../../console/kit/elements.tsx';
import { type Column, List } from '../../console/kit/list.tsx';
import { usePlace } from '../../console/place.ts';
import { addressOf, call } from '../../console/requests.ts';
import { useAnswer } from '../../console/use-answer.ts';
import { Download, linksOf } from '../../console/view/import/downloads.tsx';
import { capitalised, counted, grouped } from '../../text/wording.ts';
import type { ExportView } from './operations.ts';

/** Period of looks, because events may be missed, in ms. */
const ASK_EVERY_MS = 3000;
const FORMATS = ['csv', 'ndjson'];

export function Page() {
  const { isOperator } = usePlace();
  const { data, error, reload } = useAnswer(addressOf('GET /v1/exports', {}), {
    everyMs: (known) => (known?.exports.every(({ underWay }) => !underWay) ? undefined : ASK_EVERY_MS),
    news: ['export'],
  });
  return (
    <>
      <h1>Exports</h1>
      <div class="stack">
        {isOperator && (
          <Card id="new" title="New export">
            <p class="note">
              Reads who is in which group now: a backup, or the first file for a sync. It takes calls of your rate limit
              and changes nothing.
            </p>
            <EntryForm
              fields={FIELDS}
              button="Start export"
              onSend={async (...entered) => {
                await begin(...entered);
                await reload();
              }}
            />
          </Card>
        )}
        <Card id="all" title="All exports">
          <List
            pages={{ items: data?.exports, error }}
            caption="Exports, newest first"
            noun="exports"
            columns={COLUMNS}
            keyOf={({ id }) => id}
            actions={(view) => ({ list: actionsOf(view), onDone: reload })}
            empty="No exports yet."
          />
        </Card>
      </div>
    </>
  );
}

async function begin({ groups = '', users, groupsOnly }: Values, signal: AbortSignal) {
  const named = groups.split(/[,\s]+/).filter(Boolean);
  const lists = { users: users === 'true', groupsOnly: groupsOnly === 'true' };
  await call('POST /v1/exports', { body: { ...(named.length > 0 && { groups: named }), ...lists } }, signal);
}

const FIELDS = {
  groups: { label: 'Groups', isLong: true, placeholder: 'choir, team', note: 'GUIDs. Leave empty for all groups.' },
  users: { label: 'Users with their fields too', ticked: 'true' },
  groupsOnly: { label: 'Only the groups, without members', ticked: 'true' },
};

function toneOf({ state, underWay }: ExportView) {
  if (underWay) return 'busy';
  return state === 'completed' ? 'good' : 'attention';
}

const COLUMNS: Column<ExportView>[] = [
  {
    label: 'Export',
    kind: 'main',
    cell: (view) => (
      <>
        {view.state === 'unreadable' ? view.id : scopeOf(view)}
        {view.sandbox && <Tag>sandbox</Tag>}
        {view.target !== undefined && <Facts list={targetFacts(view.target)} />}
      </>
    ),
  },
  {
    label: 'State',
    kind: 'wide',
    cell: (view) => (
      <>
        <Badge tone={toneOf(view)}>{view.state === 'running' && !view.underWay ? 'interrupted' : view.state}</Badge>
        <p class="note" role="status">
          {view.state !== 'unreadable' && progressText(view)}
        </p>
        {view.state !== 'completed' && !view.underWay && <p class="note">{foreign(view.reason)}</p>}
      </>
    ),
  },
  { label: 'Content', kind: 'wide', cell: ({ totals }) => totals !== null && totalsText(totals) },
  {
    label: 'Files',
    kind: 'wide',
    cell: ({ id, state, lists }) =>
      (state === 'completed' || state === 'incomplete') && (
        <ul class="downloads plain lined">
          {lists.map((list) => (
            <Download
              key={list}
              name={capitalised(list)}
              links={linksOf(FORMATS, (format) =>
                addressOf('GET /v1/exports/:id/:list', { id, list, query: { format } }),
              )}
            />
          ))}
        </ul>
      ),
  },
  { label: 'Started', kind: 'time', cell: 'createdAt' },
];

const REMOVAL = {
  question: 'Delete this export?',
  explanation: 'Its files will be deleted. Memberships do not change.',
  yes: 'Delete export',
  no: 'Keep it',
};

function actionsOf({ id, next }: ExportView): ActionButton[] {
  return [
    ...next.map(
      ({ operation, name }): ActionButton => ({
        text: name,
        act: (signal) => call(`POST /v1/exports/:id/${operation}`, { id }, signal),
      }),
    ),
    {
      text: 'Delete…',
      label: `Delete export ${id}`,
      kind: 'danger quiet',
      question: REMOVAL,
      act: (signal) => call('DELETE /v1/exports/:id', { id }, signal),
    },
  ];
}

function scopeOf({ groups, regions }: ExportView) {
  return `${groups === null ? 'All groups' : counted(groups, 'group')} in ${regions.join(', ')}`;
}

function progressText({ underWay, progress, calls }: ExportView) {
  if (!underWay) return counted(calls, 'call');
  if (progress === null) return 'Starting …';
  const { step, done, of } = progress;
  const read = `${grouped(done)}${of === null ? '' : ` of ${grouped(of)}`}`;
  // Members are counted by the groups whose list is read.
  return `${step === 'members' ? `Members of ${read} groups` : `${read} ${step}`} read, ${counted(calls, 'call')}`;
}

function totalsText({
  groups,
  pending,
  members,
  banned,
  users,
  unknownScopes,
  missing,
  failed,
}: NonNullable<ExportView['totals']>) {
  const parts = [
    counted(groups, 'group'),
    counted(members, 'member'),
    banned > 0 && `${grouped(banned)} banned`,
    users > 0 && counted(users, 'user'),
    pending > 0 && `${counted(pending, 'group')} still to read`,
    unknownScopes > 0 && `${counted(unknownScopes, 'member')} with a scope that no import can read`,
    missing.length > 0 && `not found: ${missing.map(({ guid }) => guid).join(', ')}`,
    failed.length > 0 && `could not be read: ${failed.map(({ guid }) => guid).join(', ')}`,
  ];
  return parts.filter(Boolean).join(' · ');
}
