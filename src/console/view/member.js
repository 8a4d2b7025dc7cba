/** What every import did to one user. */
import { query, request } from '../api.js';
import { fill, foreign, h } from '../element.js';
import { time } from '../format.js';
import { errorNotice } from '../notice.js';
import { outcomeMark } from '../outcome-bar.js';
import { dataTable } from '../table.js';
import { fileName } from '../words.js';

/** @import { HistoryEntry, HistoryPage } from '../answers.d.ts' */
/** @import { Place } from '../place.d.ts' */

const PAGE = 100;

/** @param {Place} place */
export function memberPage({ param: uid, signal, go, setTitle }) {
  const field = h('input', {
    id: 'uid',
    name: 'uid',
    type: 'search',
    value: uid,
    spellcheck: 'false',
    autocapitalize: 'none',
  });
  const found = h('div', { class: 'card' });
  /** @param {Event} event */
  const search = (event) => {
    event.preventDefault();
    const wanted = field.value.trim();
    if (wanted !== '') go(`/members/${encodeURIComponent(wanted)}`);
    else field.focus();
  };
  const page = [
    h('h1', {}, uid === '' ? 'Members' : ['History of ', foreign(uid)]),
    h(
      'form',
      { class: 'search', role: 'search', onsubmit: search },
      h('label', { for: 'uid' }, 'UID of a user'),
      h('div', { class: 'joined' }, field, h('button', { class: 'main' }, 'Search')),
    ),
  ];
  if (uid === '')
    return [...page, h('p', { class: 'empty' }, 'Enter a UID to see what every import did to this user.')];
  setTitle(`History of ${uid}`);
  void showHistory(found, uid, signal);
  return [...page, found];
}

/** @type {import('../table.js').Column<HistoryEntry>[]} */
const COLUMNS = [
  { label: 'When', cell: ({ at }) => time(at) },
  {
    label: 'Import',
    kind: 'main',
    cell: ({ importId, file, line }) => [
      h('a', { href: `/imports/${encodeURIComponent(importId)}` }, foreign(fileName(file))),
      h('span', { class: 'soft' }, ` row ${line}`),
    ],
  },
  { label: 'Group', cell: ({ guid }) => foreign(guid) },
  { label: 'Region', cell: ({ region }) => region },
  { label: 'Scope', cell: ({ scope }) => scope },
  { label: 'Outcome', cell: ({ status }) => outcomeMark(status) },
  {
    label: 'Message',
    kind: 'wide',
    cell: ({ code, message }) => [
      code !== '' && h('code', {}, code),
      code !== '' && ' ',
      message !== '' && foreign(message),
    ],
  },
];

/**
 * @param {HTMLElement} place
 * @param {string} uid
 * @param {AbortSignal} signal
 */
async function showHistory(place, uid, signal) {
  /** @type {HistoryEntry[]} */
  const entries = [];
  /** @type {string | null} */
  let cursor = null;
  const table = dataTable({
    caption: `What imports did to ${uid}`,
    columns: COLUMNS,
    // A row of one import may stand there twice in all but its outcome; entries only ever follow.
    key: (_, index) => index,
  });
  const more = h('button', { onclick: () => void next() }, `Show ${PAGE} more`);
  const next = async () => {
    try {
      const before = entries.length;
      // The server looks through some imports at a time: a page may be empty though there is more.
      do {
        const path = `/v1/members/${encodeURIComponent(uid)}/history${query({ limit: PAGE, cursor })}`;
        /** @type {HistoryPage} */
        const page = await request(path, { signal });
        entries.push(...page.entries);
        cursor = page.nextCursor;
      } while (cursor !== null && entries.length === before);
      table.show(entries);
      more.hidden = cursor === null;
      if (entries.length > 0) fill(place, table.element, more);
      else
        fill(
          place,
          h(
            'p',
            { class: 'empty' },
            'No import has a row for ',
            foreign(uid),
            '. Enter the whole UID; upper and lower case do not matter.',
          ),
        );
    } catch (error) {
      if (!signal.aborted) fill(place, errorNotice(error));
    }
  };
  fill(place, h('p', { class: 'empty' }, 'Searching all imports …'));
  await next();
}
