/** Where a user is now, asked of the service when a person wants to know, beside what imports left. */
import { useSignal } from '@preact/signals';
import { request } from '../../api.js';
import { Badge, Card, foreign, h, importHref } from '../../element.js';
import { counted } from '../../format.js';
import { ErrorPlace } from '../../notice.js';
import { dataTable } from '../../table.js';
import { Time } from '../../time.js';
import { fileName, outcomeLabel } from '../../words.js';
import { useWork, WorkButton } from '../../work.js';

/** @import { MemberNow, MembershipNow } from '../../answers.d.ts' */

/** @param {{ uid: string }} properties */
export function WhereNow({ uid }) {
  const work = useWork();
  const found = useSignal(/** @type {MemberNow | undefined} */ (undefined));
  const ask = () =>
    work.start(async (signal) => {
      found.value = await request(`/v1/members/${encodeURIComponent(uid)}/ask`, { method: 'POST', signal });
    });
  const now = found.value;
  return h(
    Card,
    { id: 'now', title: 'Now' },
    h(
      'p',
      { role: 'status' },
      work.busy
        ? 'Asking the service …'
        : now === undefined
          ? 'Imports show what they did. The service knows in which groups the user is now; asking takes a few calls of the rate.'
          : summary(now),
    ),
    h(
      'div',
      { class: 'buttons' },
      h(
        WorkButton,
        { busy: work.busy, onClick: () => void ask() },
        now === undefined ? 'Ask where the user is now' : 'Ask again',
      ),
    ),
    h(ErrorPlace, { error: work.error }),
    now?.regions.map(({ region, problem, isWhole }) =>
      problem !== null
        ? h('p', { key: region, class: 'note' }, `Nothing is known of region ${region}: `, foreign(problem), '.')
        : !isWhole &&
          h(
            'p',
            { key: region, class: 'note' },
            `The service does not give all groups of the user in ${region}: those in which no import put the user may be missing.`,
          ),
    ),
    now?.historyIsWhole === false &&
      h('p', { class: 'note' }, 'Only the newest 1,000 rows of the user, and the newest 500 imports, were compared.'),
    now !== undefined &&
      now.groups.length > 0 &&
      dataTable({
        caption: 'Groups of the user now',
        columns: COLUMNS,
        items: now.groups,
        keyOf: ({ region, guid }) => `${region} ${guid}`,
      }),
  );
}

/** @param {MemberNow} now */
function summary({ groups, regions, askedAt }) {
  if (regions.every(({ problem }) => problem !== null)) return 'The service did not say in which groups the user is.';
  const member = groups.filter(({ now }) => now === 'member').length;
  const differing = groups.filter(({ differs }) => differs).length;
  return [
    `In ${member === 0 ? 'no group' : counted(member, 'group')}, as the service said `,
    h(Time, { iso: askedAt }),
    differing === 0
      ? '. Nothing differs from what imports left.'
      : `. ${counted(differing, 'group')} ${differing === 1 ? 'is' : 'are'} not as imports left ${differing === 1 ? 'it' : 'them'}.`,
  ];
}

/** @type {import('../../table.js').Column<MembershipNow>[]} */
const COLUMNS = [
  { label: 'Group', kind: 'main', cell: ({ guid }) => foreign(guid) },
  { label: 'Region', cell: ({ region }) => region },
  {
    label: 'Now',
    kind: 'wide',
    cell: (membership) => {
      const { differs, history } = membership;
      if (!differs || history === null) return placeWords(membership);
      const left = outcomeLabel(history.status, history.scope);
      return [h(Badge, { tone: 'attention' }, 'differs'), ` in the history as ${left}, ${placeWords(membership)} now`];
    },
  },
  {
    label: 'In the history',
    cell: ({ history }) =>
      history !== null && [
        `${outcomeLabel(history.status, history.scope)}, row ${history.line}, `,
        history.at !== null && h(Time, { iso: history.at }),
      ],
  },
  {
    label: 'Import',
    cell: ({ history }) =>
      history === null
        ? h('span', { class: 'soft' }, 'no import')
        : h('a', { href: importHref(history.importId) }, foreign(fileName(history.file))),
  },
];

/** @param {MembershipNow} membership */
function placeWords({ now, scope }) {
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
