/** A user's present groups, asked of the service when a person wants to know, beside the results of imports. */
import { useSignal } from '@preact/signals';
import type { MemberNow, MembershipNow } from '../../answers.ts';
import { call } from '../../api.ts';
import { Badge, Card, foreign, importHref } from '../../element.tsx';
import { counted } from '../../format.ts';
import { ErrorPlace } from '../../notice.tsx';
import { type Column, DataTable } from '../../table.tsx';
import { Time } from '../../time.tsx';
import { fileName, outcomeLabel } from '../../words.ts';
import { useWork, WorkButton } from '../../work.tsx';

export function WhereNow({ uid }: { uid: string }) {
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
      <div class="buttons">
        <WorkButton busy={work.busy} onClick={() => void ask()}>
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
      {now !== undefined && now.groups.length > 0 && (
        <DataTable
          caption="Groups of the user now"
          columns={COLUMNS}
          items={now.groups}
          keyOf={({ region, guid }) => `${region} ${guid}`}
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

const COLUMNS: Column<MembershipNow>[] = [
  { label: 'Group', kind: 'main', cell: ({ guid }) => foreign(guid) },
  { label: 'Region', cell: ({ region }) => region },
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

function placeWords({ now, scope }: MembershipNow) {
  switch (now) {
    case 'member':
      return scope === null ? 'a member' : scope;
    case 'banned':
      return 'banned';
    case 'not-member':
      return 'not a member';
    case 'no-group':
      return 'there is no such group';
    default:
      return 'not known';
  }
}
