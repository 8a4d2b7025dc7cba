/** Who may use the server: tokens are listed, made and revoked by admins. */
import { useMemo } from 'preact/hooks';
import { useAnswer } from '../../answer.js';
import { request } from '../../api.js';
import { ask, confirmed } from '../../dialog.js';
import { Badge, Empty, foreign, h, Tag } from '../../element.js';
import { optionsOf } from '../../form.js';
import { ErrorNotice, ErrorPlace } from '../../notice.js';
import { dataTable } from '../../table.js';
import { Time } from '../../time.js';
import { useKeptFocus, useWork, WorkButton } from '../../work.js';
import { showOnce } from './shown-once.js';

/** @import { NewToken, TokenView } from '../../answers.d.ts' */

/** @type {readonly import('../../form.js').Choice[]} */
const ROLES = [
  ['viewer', 'viewer: looks'],
  ['operator', 'operator: also acts'],
  ['admin', 'admin: also decides who may'],
];

/** @type {readonly import('../../form.js').Choice[]} */
const LIVES = [
  ['7d', 'in a week'],
  ['30d', 'in 30 days'],
  ['90d', 'in 90 days'],
  ['365d', 'in a year'],
  ['', 'never'],
];

export function Tokens() {
  /** @type {import('../../answer.js').Answer<{ tokens: readonly TokenView[] }>} */
  const { data, error, reload } = useAnswer('/v1/tokens');
  const work = useWork();
  const place = useKeptFocus();
  /** @param {TokenView} token */
  const revoke = async (token) => {
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
      await request(`/v1/tokens/${encodeURIComponent(token.id)}`, { method: 'DELETE', signal });
      await reload();
    });
  };
  const make = async () => {
    const form = await askForToken();
    if (form === undefined) return;
    const [name = '', role, expires] = ['name', 'role', 'expires'].map((field) => String(form.get(field) ?? ''));
    await work.start(async (signal) => {
      const body = JSON.stringify({ name, role, ...(expires !== '' && { expires }) });
      /** @type {NewToken} */
      const made = await request('/v1/tokens', { method: 'POST', body, type: 'application/json', signal });
      await Promise.all([showOnce(`The token of ${made.name}`, '', made.token), reload()]);
    });
  };
  const columns = useMemo(() => [...COLUMNS, revoking((token) => void revoke(token))], []);
  return h(
    'div',
    { class: 'stack', ref: place },
    error !== undefined
      ? h(ErrorNotice, { error })
      : data === undefined
        ? h(Empty, {}, 'Loading …')
        : data.tokens.length === 0
          ? h(Empty, {}, 'No tokens yet. Programs and people on other machines need one.')
          : dataTable({
              caption: 'Tokens, oldest first',
              columns,
              items: data.tokens,
              keyOf: ({ id }) => id,
            }),
    h(ErrorPlace, { error: work.error }),
    h('div', { class: 'buttons' }, h(WorkButton, { busy: work.busy, onClick: () => void make() }, 'New token…')),
  );
}

/** @type {import('../../table.js').Column<TokenView>[]} */
const COLUMNS = [
  { label: 'For', kind: 'main', cell: ({ name, own }) => [foreign(name), own && h(Tag, { key: 'own' }, 'yours')] },
  { label: 'Role', cell: ({ role }) => role },
  {
    label: 'Expires',
    cell: ({ expiresAt }) =>
      expiresAt === null
        ? 'never'
        : Date.parse(expiresAt) > Date.now()
          ? h(Time, { iso: expiresAt })
          : h(Badge, { tone: 'attention' }, 'expired'),
  },
  {
    label: 'Last used',
    cell: ({ lastUsedAt }) => (lastUsedAt === null ? 'never' : h(Time, { iso: lastUsedAt })),
  },
];

/** @param {(token: TokenView) => void} onRevoke @returns {import('../../table.js').Column<TokenView>} */
function revoking(onRevoke) {
  return {
    label: 'Actions',
    cell: (token) =>
      h(
        'button',
        {
          type: 'button',
          class: 'danger quiet small-button',
          'aria-label': `Revoke the token of ${token.name}`,
          onClick: () => onRevoke(token),
        },
        'Revoke…',
      ),
  };
}

/** For whom, with which role and for how long; undefined when none is wanted. */
function askForToken() {
  return ask({
    question: 'New token',
    explanation: 'A person or a program logs in with it. The audit log has its name.',
    content: (close) => [
      h(
        'div',
        { class: 'field' },
        h('label', { for: 'token-name' }, 'For'),
        h('input', {
          id: 'token-name',
          name: 'name',
          type: 'text',
          required: true,
          pattern: '.*\\S.*',
          title: 'Enter who it is for, such as a person or a program',
          maxLength: 100,
          placeholder: 'nightly-job',
          autocomplete: 'off',
          autoFocus: true,
        }),
      ),
      h(
        'div',
        { class: 'field' },
        h('label', { for: 'token-role' }, 'Role'),
        h('select', { id: 'token-role', name: 'role', value: 'viewer' }, optionsOf(ROLES)),
      ),
      h(
        'div',
        { class: 'field' },
        h('label', { for: 'token-expires' }, 'Expires'),
        h('select', { id: 'token-expires', name: 'expires', value: '90d' }, optionsOf(LIVES)),
      ),
      h(
        'div',
        { class: 'buttons' },
        h('button', { type: 'button', onClick: close }, 'Cancel'),
        h('button', { value: 'yes', class: 'main' }, 'Make token'),
      ),
    ],
  });
}
