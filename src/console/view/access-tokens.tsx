/** The tokens of the server: listed, made and revoked by admins. */
import { useMemo } from 'preact/hooks';
import type { Role } from '../../api/service.ts';
import type { TokenView } from '../answers.ts';
import { ask, confirmed, showOnce, useKeptFocus, useWork, WorkButton } from '../kit/actions.tsx';
import { Badge, Empty, ErrorPlace, foreign, Pending, Tag, Time } from '../kit/elements.tsx';
import { type Choice, optionsOf } from '../kit/form.tsx';
import { type Column, DataTable } from '../kit/list.tsx';
import { addressOf, call } from '../requests.ts';
import { useAnswer } from '../use-answer.ts';

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
  const work = useWork();
  const place = useKeptFocus();
  const revoke = async (token: TokenView) => {
    const yes = await confirmed({
      question: `Revoke the token of ${token.name}?`,
      explanation: token.own
        ? 'You are logged in with it: you will need another to go on.'
        : 'Who uses it is refused at once, and cannot get it back.',
      yes: 'Revoke token',
      no: 'Keep it',
    });
    if (!yes) return;
    await work.start(async (signal) => {
      await call('DELETE /v1/tokens/:id', { id: token.id }, signal);
      await reload();
    });
  };
  const make = async () => {
    const form = await askForToken();
    if (form === undefined) return;
    const [name = '', role, expires] = ['name', 'role', 'expires'].map((field) => String(form.get(field) ?? ''));
    await work.start(async (signal) => {
      const body = { name, role: role as Role, ...(expires !== '' && { expires }) };
      const made = await call('POST /v1/tokens', { body }, signal);
      await Promise.all([showOnce(`The token of ${made.name}`, '', made.token), reload()]);
    });
  };
  const columns = useMemo(() => [...COLUMNS, revoking((token) => void revoke(token))], []);
  return (
    <div class="stack" ref={place}>
      {error !== undefined || data === undefined ? (
        <Pending error={error} />
      ) : data.tokens.length === 0 ? (
        <Empty>No tokens yet. Programs and people on other machines need one.</Empty>
      ) : (
        <DataTable caption="Tokens, oldest first" columns={columns} items={data.tokens} keyOf={({ id }) => id} />
      )}
      <ErrorPlace error={work.error} />
      <div class="buttons">
        <WorkButton busy={work.busy} onClick={() => void make()}>
          New token…
        </WorkButton>
      </div>
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
  { label: 'Role', cell: ({ role }) => role },
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
  {
    label: 'Last used',
    cell: ({ lastUsedAt }) => (lastUsedAt === null ? 'never' : <Time iso={lastUsedAt} />),
  },
];

function revoking(onRevoke: (token: TokenView) => void): Column<TokenView> {
  return {
    label: 'Actions',
    cell: (token) => (
      <button
        type="button"
        class="danger quiet small-button"
        aria-label={`Revoke the token of ${token.name}`}
        onClick={() => onRevoke(token)}
      >
        Revoke…
      </button>
    ),
  };
}

/** For whom, with which role and for how long; undefined when none is wanted. */
function askForToken() {
  return ask({
    question: 'New token',
    explanation: 'A person or a program logs in with it. The audit log has its name.',
    yes: 'Make token',
    no: 'Cancel',
    fields: (
      <>
        <div class="field">
          <label for="token-name">For</label>
          <input
            id="token-name"
            name="name"
            type="text"
            required
            pattern=".*\S.*"
            title="Enter who it is for, such as a person or a program"
            maxLength={100}
            placeholder="nightly-job"
            autocomplete="off"
            autoFocus
          />
        </div>
        <div class="field">
          <label for="token-role">Role</label>
          <select id="token-role" name="role" value="viewer">
            {optionsOf(ROLES)}
          </select>
        </div>
        <div class="field">
          <label for="token-expires">Expires</label>
          <select id="token-expires" name="expires" value="90d">
            {optionsOf(LIVES)}
          </select>
        </div>
      </>
    ),
  });
}
