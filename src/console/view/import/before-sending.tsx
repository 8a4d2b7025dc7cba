/** Asks before many rows are sent: how many, what that takes, and where they go. */

import { Signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { ONE_FOR_EACH } from '../../../membership/outcome-words.ts';
import { asSentence, counted, grouped, sumOf } from '../../../text/wording.ts';
import type { Action, ImportView, SendingPlan } from '../../answers.ts';
import { atLeast } from '../../format.ts';
import { type SendsTo, sendsToFacts, sendsToOf, settings } from '../../frame.tsx';
import { confirmed } from '../../kit/actions.tsx';
import { Facts, Time } from '../../kit/elements.tsx';
import type { Told } from '../../question.ts';
import { type Address, addressOf, request } from '../../requests.ts';
import { useAnswer } from '../../use-answer.ts';
import { rowsSentBy } from './import-rules.ts';

/** Fewer rows are sent without a question. */
export const MANY_ROWS = 100;

/** A next step, or another action on an import. With both a reason and choices, it takes a consent of its own. */
export type Step = Pick<ImportView['next'][number], 'name' | 'query'> & {
  operation: Action;
  why?: string;
};

/** Whether the rows that a step sends may be sent. */
export async function mayBeSent(view: ImportView, { operation, name, query, why = '' }: Step, signal: AbortSignal) {
  const rows = rowsSentBy(operation, view);
  const takesConsent = why !== '' && query !== undefined;
  const isAsItIs = (view.checkedRows?.wouldFail ?? 0) === 0 && view.edited === undefined;
  // Nothing is sent, as when an import is paused; or so little that nobody is asked.
  if (!takesConsent && (rows === 0 || (rows < MANY_ROWS && isAsItIs))) return true;
  // The users and groups without which rows would fail are created.
  const isAsChecked = query?.['maxCreate'] === undefined;
  const path = addressOf('GET /v1/imports/:id/sending', { id: view.id, query: { ...query } });
  const plan = new Signal(await request(path, { signal }));
  return confirmed({
    question: takesConsent ? `${name}?` : <AskedRows plan={plan} />,
    explanation: (
      <>
        {takesConsent && asSentence(why)}
        <Plan plan={plan} path={path} view={view} isAsChecked={isAsChecked} />
      </>
    ),
    yes: name.replace('…', ''),
    no: takesConsent ? 'Keep waiting' : 'Do not send',
    tone: takesConsent ? 'danger' : 'main',
  });
}

function AskedRows({ plan }: { plan: Signal<SendingPlan> }) {
  const { rows, sandbox, host } = plan.value;
  return `Send ${counted(rows, 'row')} to ${sandbox ? 'the sandbox' : host}?`;
}

interface PlanProperties {
  plan: Signal<SendingPlan>;
  path: Address<SendingPlan>;
  view: ImportView;
  isAsChecked: boolean;
}

/** Shows the present plan: others may act on the import while the question is read. */
function Plan({ plan, path, view, isAsChecked }: PlanProperties) {
  const { id, state, checkedRows } = view;
  const renewal = {
    news: ['imports'] as const,
    concerns: ({ imports = [] }: Told) => imports.some((one) => one.id === id || one.retryOf === id),
  };
  const { data: now } = useAnswer(addressOf('GET /v1/imports/:id', { id }), renewal);
  const { data: latest } = useAnswer(path, renewal);
  useEffect(() => {
    if (latest !== undefined) plan.value = latest;
  }, [latest]);
  const checked = isAsChecked ? (now ?? { checkedRows }).checkedRows : undefined;
  const change =
    now !== undefined && now.state !== state
      ? `it is ${now.state} now`
      : plan.value.rows === 0 && 'none of its rows is left to send';
  return (
    <>
      <b class="attention" role="status">
        {change && `The import has changed meanwhile: ${change}. Close this, and look at it again.`}
      </b>
      {!change && <Facts list={factsOf(plan.value, plan.value.leftOut > 0 ? 0 : checked?.wouldFail, checked?.at)} />}
    </>
  );
}

/** The work of sending and its target, also of things without a plan of an import. */
export type SendingFacts = Pick<SendingPlan, 'rows' | 'calls'> & Partial<Omit<SendingPlan, keyof SendsTo>> & SendsTo;

/** The same, with where this server sends. Regions send side by side. */
export function SendingFactsOfServer({ plan }: { plan: SendingFacts & Pick<SendingPlan, 'apps'> }) {
  const known = settings.value;
  if (known === undefined) return <Facts list={factsOf(plan)} />;
  const ms = Math.ceil((plan.calls / Math.max(1, plan.apps.length) / known.callsPerMinute) * 60_000);
  return <Facts list={factsOf({ ms, ...sendsToOf(known), ...plan })} />;
}

export function TargetOfServer() {
  return settings.value && <Facts list={sendsToFacts(sendsToOf(settings.value))} />;
}

export function SumOfPlans({ plans, wouldFail }: { plans: readonly SendingPlan[]; wouldFail: number }) {
  const total = (what: 'rows' | 'groups' | 'calls' | 'ms') => sumOf(plans.map((plan) => plan[what]));
  const apps = [...new Set(plans.flatMap((plan) => plan.apps))];
  const sums = {
    rows: total('rows'),
    calls: total('calls'),
    groups: total('groups'),
    silent: plans.every(({ silent }) => silent),
    apps,
    // Regions send side by side.
    ms: apps.length === 1 ? total('ms') : Math.max(0, ...plans.map(({ ms }) => ms)),
  };
  return <Facts list={factsOf({ ...plans[0], ...sums }, wouldFail)} />;
}

export function factsOf(
  { rows, silent = false, leftOut = 0, edited = 0, groups = 0, calls, ms, callMs, ...to }: SendingFacts,
  wouldFail = 0,
  checkedAt?: string,
): (readonly [string, ComponentChildren])[] {
  return [
    ['Rows', grouped(rows)],
    ['Left out', leftOut > 0 && `${grouped(leftOut)} that would fail, as the check says`],
    ['Edited', edited > 0 && `${grouped(edited)} not sent now: corrected, they can be sent when this import is over`],
    // Those that would fail are edited first.
    ['Would fail', wouldFail > edited && `${grouped(wouldFail - edited)} of them, as the check says`],
    ['Checked', leftOut + wouldFail > 0 && checkedAt !== undefined && <Time iso={checkedAt} />],
    ['Groups', groups > 0 && grouped(groups)],
    ['Messages in groups', rows > 0 && (silent ? 'none' : `up to ${grouped(rows)}, ${ONE_FOR_EACH}`)],
    ['Calls', `at least ${grouped(calls)}`],
    ['Time', ms !== undefined && atLeast(ms, callMs)],
    ...sendsToFacts(to),
  ];
}
