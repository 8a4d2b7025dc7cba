/** One row with everything that was done about it: its batch, every call, what the service said. */
import { useEffect, useRef } from 'preact/hooks';
import { useAnswer } from '../../answer.js';
import { importPath } from '../../api.js';
import { reportCommand } from '../../command-line.js';
import { CopyButton } from '../../copy.js';
import { Empty, Facts, foreign, foreignOrDash, h, memberHref } from '../../element.js';
import { counted, duration, grouped } from '../../format.js';
import { ErrorNotice } from '../../notice.js';
import { OutcomeMark } from '../../outcome-bar.js';
import { Time } from '../../time.js';
import { columnLabel, messageWords } from '../../words.js';

/** @import { RowDetail, RowView } from '../../answers.d.ts' */
/** @import { ComponentChildren } from 'preact' */

/** What a call came to. @type {Readonly<Record<RowDetail['calls'][number]['kind'], string>>} */
const KINDS = {
  answered: 'answered',
  again: 'no usable answer, sent again',
  'slow-down': 'rate-limited, sent again later',
  halve: 'refused as a whole, cut into smaller batches',
  group: 'the whole group was refused',
  'stop-region': 'the region’s key or plan was refused',
  final: 'refused',
};

/** Waits between two calls that are worth a word, in ms. */
const A_WAIT_MS = 100;

/** @param {{ id: string, row: RowView, onClose: () => void }} properties */
export function RowDetails({ id, row, onClose }) {
  const dialog = useRef(/** @type {HTMLDialogElement | null} */ (null));
  useEffect(() => dialog.current?.showModal(), []);
  /** @type {import('../../answer.js').Answer<RowDetail>} */
  const { data, error } = useAnswer(importPath(id, `/rows/${row.row}`));
  return h(
    'dialog',
    { ref: dialog, class: 'roomy', 'aria-labelledby': 'row-title', onClose },
    h(
      'div',
      { class: 'row-detail' },
      h(
        'div',
        { class: 'line' },
        h('h2', { id: 'row-title' }, `Row ${grouped(row.line)}`),
        h('button', { type: 'button', autoFocus: true, onClick: () => dialog.current?.close() }, 'Close'),
      ),
      error !== undefined
        ? h(ErrorNotice, { error })
        : data === undefined
          ? h(Empty, {}, 'Loading …')
          : h(Detail, { id, detail: data, row }),
    ),
  );
}

/** @param {{ id: string, detail: RowDetail, row: RowView }} properties */
function Detail({ id, detail, row: { status } }) {
  const { row, action, onBehalfOf } = detail;
  return [
    h(
      'p',
      { key: 'outcome' },
      h(OutcomeMark, {
        outcome: status === null && row.status === 'unprocessed' ? null : row.status,
        scope: row.scope,
      }),
      row.code !== '' && [' ', h('code', null, row.code)],
      row.message !== '' && [' ', foreign(messageWords(row.message))],
    ),
    h(Facts, {
      key: 'facts',
      list: [
        ['UID', withCopy(row.uid, 'the UID')],
        ['Group', withCopy(row.guid, 'the group')],
        ['Region', row.region],
        ['Scope', row.scope],
        ['Action', action !== null && action !== 'add' && action],
        ['Acting user', onBehalfOf !== '' && foreign(onBehalfOf)],
        ['Value', row.value !== '' && foreign(row.value)],
        ['Created for it', row.created !== '' && row.created],
        ['Message', row.messageId !== '' && withCopy(row.messageId, 'the id of the message')],
        ['Members after the call', row.members !== null && grouped(row.members)],
      ],
    }),
    h('h3', { key: 'story-title' }, 'What happened'),
    h(Story, { key: 'story', detail }),
    h('h3', { key: 'input-title' }, 'In the file'),
    h(Facts, { key: 'input', list: inputOf(row.original) }),
    h(
      'p',
      { key: 'links', class: 'links' },
      row.uid !== '' && h('a', { href: memberHref(row.uid) }, 'History of this user'),
      h(CopyButton, {
        text: reportCommand(id, location.origin, { line: String(row.line) }),
        label: 'Copy command',
        what: `that reports row ${row.line}`,
      }),
    ),
  ];
}

/** @param {string} value @param {string} what */
function withCopy(value, what) {
  return value === ''
    ? foreignOrDash('')
    : [foreign(value), ' ', h(CopyButton, { text: value, what: `${what} ${value}` })];
}

/** @param {{ detail: RowDetail }} properties */
function Story({ detail: { row, batch, calls, creations } }) {
  /** @type {ComponentChildren[]} */
  const steps = [];
  if (batch === null) steps.push(h('span', null, 'It was not sent.'));
  else {
    const others = batch.uids - 1;
    const size = others === 0 ? 'alone' : `with ${counted(others, 'other row')}`;
    steps.push(h('span', null, `In batch ${grouped(batch.id)}, ${size}.`));
    if (batch.dispatchedAt !== null)
      steps.push([h(Time, { iso: batch.dispatchedAt, seconds: true }), ' put into the queue']);
    else if (batch.finishedAt === null) steps.push(h('span', null, 'It waits for its turn.'));
  }
  for (const { kind, outcome, code, message, at } of creations) {
    const said = [code, message].filter((text) => text !== null).join(': ');
    steps.push([h(Time, { iso: at, seconds: true }), ` ${kind}: ${outcome}`, said !== '' && [', ', foreign(said)]]);
  }
  for (const [index, call] of calls.entries()) {
    steps.push(h(Call, { call, number: index + 1, before: calls[index - 1] }));
  }
  if (batch?.uncertainty) steps.push(['An earlier call may have been carried out: ', foreign(batch.uncertainty)]);
  if (row.finishedAt !== null) steps.push([h(Time, { iso: row.finishedAt, seconds: true }), ' outcome recorded']);
  return h(
    'ol',
    { class: 'plain story' },
    steps.map((step, index) => h('li', { key: index }, step)),
  );
}

/** @param {{ call: RowDetail['calls'][number], number: number, before: RowDetail['calls'][number] | undefined }} properties */
function Call({ call, number, before }) {
  const waited = before === undefined ? 0 : Date.parse(call.at) - Date.parse(before.at) - before.ms;
  return [
    h(Time, { key: 'at', iso: call.at, seconds: true }),
    ' ',
    h('b', { key: 'call' }, `Call ${number}`),
    `${waited >= A_WAIT_MS ? ` after a wait of ${duration(waited)}` : ''}: `,
    `${KINDS[call.kind]}, ${call.httpStatus === null ? 'no reply' : `HTTP ${call.httpStatus}`}, ${duration(call.ms)}`,
    (call.code !== '' || call.message !== null) &&
      h(
        'span',
        { key: 'said', class: 'said' },
        call.code !== '' && h('code', null, call.code),
        call.message !== null && [' ', foreign(call.message)],
      ),
    call.requestId !== null &&
      h(
        'span',
        { key: 'request', class: 'said' },
        'Request id ',
        h('code', null, foreign(call.requestId)),
        ' ',
        h(CopyButton, { text: call.requestId, what: `the request id ${call.requestId}` }),
      ),
  ];
}

/** @param {RowView['original']} original @returns {(readonly [string, ComponentChildren])[]} */
function inputOf(original) {
  return Object.entries(original).map(([column, value]) => [
    columnLabel(column),
    foreignOrDash(typeof value === 'string' ? value : JSON.stringify(value)),
  ]);
}
