/** Asks before many rows are sent: how many, what that takes, and where they go. */
import { Signal } from '@preact/signals';
import { useAnswer } from '../../answer.js';
import { importPath, query, request } from '../../api.js';
import { confirmed } from '../../dialog.js';
import { Facts, foreign, h } from '../../element.js';
import { counted, duration, grouped } from '../../format.js';
import { useListNews } from '../../overview.js';
import { Time } from '../../time.js';
import { useLeaving } from '../../work.js';

/** @import { ImportView, SendingPlan } from '../../answers.d.ts' */

/** Fewer rows are sent without a question. */
export const MANY_ROWS = 100;

/** Imports that were uploaded to be sent, and are asked about once they have been read. @type {Set<string>} */
const toAsk = new Set();

/** @param {string} id */
export function askWhenRead(id) {
  toAsk.add(id);
}

/** Whether it is to be asked about now, which is then done. @param {string} id */
export function isToBeAsked(id) {
  return toAsk.delete(id);
}

/**
 * Whether the rows may be sent.
 * @param {Pick<ImportView, 'id' | 'state' | 'checkedRows'>} view
 * @param {{ rows: number, yes: string, signal?: AbortSignal, leaveOutFailing?: true | undefined }} asked
 */
export async function mayBeSent(view, { rows, yes, signal, leaveOutFailing }) {
  if (rows < MANY_ROWS && (view.checkedRows?.wouldFail ?? 0) === 0) return true;
  const path = importPath(view.id, `/sending${query({ leaveOutFailing })}`);
  /** @type {SendingPlan} */
  const first = await request(path, { ...(signal !== undefined && { signal }) });
  const plan = new Signal(first);
  return confirmed({
    question: h(Question, { plan }),
    explanation: h(Plan, { plan, path, view }),
    yes: yes.replace('…', ''),
    no: 'Do not send',
    tone: 'main',
  });
}

/** @param {{ plan: Signal<SendingPlan> }} properties */
function Question({ plan }) {
  const { rows, sandbox, host } = plan.value;
  return `Send ${counted(rows, 'row')} to ${sandbox ? 'the sandbox' : host}?`;
}

/**
 * As it is now: others may act on the import while the question is read.
 * @param {{ plan: Signal<SendingPlan>, path: string, view: Pick<ImportView, 'id' | 'state' | 'checkedRows'> }} properties
 */
function Plan({ plan, path, view: { id, state, checkedRows } }) {
  /** @type {import('../../answer.js').Answer<ImportView>} */
  const { data: now, reload } = useAnswer(importPath(id));
  const leaving = useLeaving();
  const ask = async () => {
    await reload();
    plan.value = await request(path, { signal: leaving() });
  };
  useListNews(
    ['imports'],
    () => void ask().catch(() => undefined),
    ({ imports }) => imports.some((one) => one.id === id || one.retryOf === id),
  );
  const change =
    now !== undefined && now.state !== state
      ? `it is ${now.state} now`
      : plan.value.rows === 0 && 'none of its rows is left to send';
  return [
    h(
      'b',
      { key: 'changed', class: 'attention', role: 'status' },
      change && `The import has changed meanwhile: ${change}. Close this, and look at it again.`,
    ),
    !change && h(Facts, { key: 'facts', list: factsOf(plan.value, (now ?? { checkedRows }).checkedRows) }),
  ];
}

/** @param {SendingPlan} plan @param {ImportView['checkedRows']} checked @returns {(readonly [string, import('preact').ComponentChildren])[]} */
function factsOf({ rows, leftOut, groups, messages, calls, ms, host, apps, sandbox }, checked) {
  const wouldFail = leftOut === 0 && checked !== undefined ? checked.wouldFail : 0;
  return [
    ['Rows', grouped(rows)],
    ['Left out', leftOut > 0 && `${grouped(leftOut)} that would fail, as the check says`],
    ['Would fail', wouldFail > 0 && `${grouped(wouldFail)} of them, as the check says`],
    ['Checked', leftOut + wouldFail > 0 && checked !== undefined && h(Time, { iso: checked.at })],
    ['Groups', groups > 0 && grouped(groups)],
    ['Messages in groups', messages > 0 && `up to ${grouped(messages)}, one for each member added`],
    ['Calls', `at least ${grouped(calls)}`],
    ['Time', `at least ${duration(ms)}`],
    ['Service', [foreign(host), sandbox ? ', the sandbox: nothing real changes' : ', for real']],
    ['Apps', apps.length > 0 && foreign(apps.join(', '))],
  ];
}
