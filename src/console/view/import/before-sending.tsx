/** Asks before many rows are sent: how many, what that takes, and where they go. */
import type { ComponentChildren } from 'preact';
import type { ImportView, SendingPlan } from '../../answers.ts';
import { importPath, query, request } from '../../api.ts';
import { confirmed } from '../../dialog.tsx';
import { Facts, foreign } from '../../element.tsx';
import { counted, duration, grouped } from '../../format.ts';
import { Time } from '../../time.tsx';

/** Fewer rows are sent without a question. */
export const MANY_ROWS = 100;

/** Imports that were uploaded to be sent, and are asked about once they have been read. */
const toAsk = new Set<string>();

export function askWhenRead(id: string) {
  toAsk.add(id);
}

/** Whether it is to be asked about now, which is then done. */
export function isToBeAsked(id: string) {
  return toAsk.delete(id);
}

interface MayBeSentAsked {
  rows: number;
  yes: string;
  signal?: AbortSignal;
  leaveOutFailing?: true | undefined;
}

/** Whether the rows may be sent. */
export async function mayBeSent(
  { id, checkedRows }: Pick<ImportView, 'id' | 'checkedRows'>,
  { rows, yes, signal, leaveOutFailing }: MayBeSentAsked,
) {
  if (rows < MANY_ROWS && (checkedRows?.wouldFail ?? 0) === 0) return true;
  const path = importPath(id, `/sending${query({ leaveOutFailing })}`);
  const plan = await request<SendingPlan>(path, { ...(signal !== undefined && { signal }) });
  return confirmed({
    question: `Send ${counted(plan.rows, 'row')} to ${plan.sandbox ? 'the sandbox' : plan.host}?`,
    explanation: <Facts list={factsOf(plan, checkedRows)} />,
    yes: yes.replace('…', ''),
    no: 'Do not send',
    tone: 'main',
  });
}

function factsOf(
  { rows, leftOut, groups, messages, calls, ms, host, apps, sandbox }: SendingPlan,
  checked: ImportView['checkedRows'],
): (readonly [string, ComponentChildren])[] {
  const wouldFail = leftOut === 0 && checked !== undefined ? checked.wouldFail : 0;
  return [
    ['Rows', grouped(rows)],
    ['Left out', leftOut > 0 && `${grouped(leftOut)} that would fail, as the check says`],
    ['Would fail', wouldFail > 0 && `${grouped(wouldFail)} of them, as the check says`],
    ['Checked', leftOut + wouldFail > 0 && checked !== undefined && <Time iso={checked.at} />],
    ['Groups', groups > 0 && grouped(groups)],
    ['Messages in groups', messages > 0 && `up to ${grouped(messages)}, one for each member added`],
    ['Calls', `at least ${grouped(calls)}`],
    ['Time', `at least ${duration(ms)}`],
    [
      'Service',
      <>
        {foreign(host)}
        {sandbox ? ', the sandbox: nothing real changes' : ', for real'}
      </>,
    ],
    ['Apps', apps.length > 0 && foreign(apps.join(', '))],
  ];
}
