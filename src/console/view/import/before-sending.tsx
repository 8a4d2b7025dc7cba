/** Asks before many rows are sent: how many, what that takes, and where they go. */
import { Signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useAnswer } from '../../answer.ts';
import type { ImportView, SendingPlan } from '../../answers.ts';
import { importPath, query, request } from '../../api.ts';
import { confirmed } from '../../dialog.tsx';
import { Facts, foreign } from '../../element.tsx';
import { counted, duration, grouped } from '../../format.ts';
import { useListNews } from '../../overview.ts';
import { Time } from '../../time.tsx';
import { useLeaving } from '../../work.tsx';

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

type Asked = Pick<ImportView, 'id' | 'state' | 'checkedRows'>;

/** Whether the rows may be sent. */
export async function mayBeSent(view: Asked, { rows, yes, signal, leaveOutFailing }: MayBeSentAsked) {
  if (rows < MANY_ROWS && (view.checkedRows?.wouldFail ?? 0) === 0) return true;
  const path = importPath(view.id, `/sending${query({ leaveOutFailing })}`);
  const plan = new Signal(await request<SendingPlan>(path, { ...(signal !== undefined && { signal }) }));
  return confirmed({
    question: <Question plan={plan} />,
    explanation: <Plan plan={plan} path={path} view={view} />,
    yes: yes.replace('…', ''),
    no: 'Do not send',
    tone: 'main',
  });
}

function Question({ plan }: { plan: Signal<SendingPlan> }) {
  const { rows, sandbox, host } = plan.value;
  return `Send ${counted(rows, 'row')} to ${sandbox ? 'the sandbox' : host}?`;
}

/** As it is now: others may act on the import while the question is read. */
function Plan({ plan, path, view }: { plan: Signal<SendingPlan>; path: string; view: Asked }) {
  const { id, state, checkedRows } = view;
  const { data: now, reload } = useAnswer<ImportView>(importPath(id));
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
  return (
    <>
      <b class="attention" role="status">
        {change && `The import has changed meanwhile: ${change}. Close this, and look at it again.`}
      </b>
      {!change && <Facts list={factsOf(plan.value, (now ?? { checkedRows }).checkedRows)} />}
    </>
  );
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
