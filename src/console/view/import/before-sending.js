/** Asks before many rows are sent: how many, what that takes, and where they go. */
import { importPath, request } from '../../api.js';
import { confirmed } from '../../dialog.js';
import { Facts, foreign, h } from '../../element.js';
import { counted, duration, grouped } from '../../format.js';

/** @import { ImportView, SendingPlan } from '../../answers.d.ts' */

/** Fewer rows are sent without a question. */
const MANY_ROWS = 100;
/** Users of a call. */
const ROWS_OF_A_CALL = 25;

/**
 * Whether the rows may be sent.
 * @param {Pick<ImportView, 'id'>} view
 * @param {{ rows: number, yes: string, isRetry?: boolean, signal?: AbortSignal }} asked
 */
export async function mayBeSent({ id }, { rows, yes, isRetry = false, signal }) {
  if (rows < MANY_ROWS) return true;
  /** @type {SendingPlan} */
  const plan = await request(importPath(id, '/sending'), { ...(signal !== undefined && { signal }) });
  return confirmed({
    question: `Send ${counted(rows, 'row')} to ${plan.sandbox ? 'the sandbox' : plan.host}?`,
    explanation: h(Facts, { list: factsOf(plan, isRetry ? rows : undefined) }),
    yes: yes.replace('…', ''),
    no: 'Do not send',
    tone: 'main',
  });
}

/** @param {SendingPlan} plan @param {number} [retried] @returns {(readonly [string, import('preact').ComponentChildren])[]} */
function factsOf({ rows, groups, messages, calls, ms, host, apps, sandbox }, retried) {
  return [
    ['Rows', grouped(retried ?? rows)],
    ['Groups', retried === undefined && groups > 0 && grouped(groups)],
    [
      'Messages in groups',
      retried === undefined && messages > 0 && `up to ${grouped(messages)}, one for each member added`,
    ],
    ['Calls', `at least ${grouped(retried === undefined ? calls : Math.ceil(retried / ROWS_OF_A_CALL))}`],
    ['Time', retried === undefined && `at least ${duration(ms)}`],
    ['Service', [foreign(host), sandbox ? ', the sandbox: nothing real changes' : ', for real']],
    ['Apps', apps.length > 0 && foreign(apps.join(', '))],
  ];
}
