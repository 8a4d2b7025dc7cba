/** Parts of pages that have a plan: the limits of its guards as fields of a form, its state, and its numbers. */
import type { ComponentChildren } from 'preact';
import type { PlanTotals, SyncEntry } from '../../../console/answers.ts';
import { settings } from '../../../console/frame.tsx';
import { Badge, Counts, foreign } from '../../../console/kit/elements.tsx';
import { FoldedFields, type Form } from '../../../console/kit/form.tsx';
import { ACTION_COLOURS, REASONED, SYNC_TONES, standsStill, syncSentence } from '../../../console/sync-words.ts';
import { ACTION_LABELS, ACTIONS_SHOWN } from '../../../membership/plan-words.ts';
import { capitalised } from '../../../text/wording.ts';
import { LIMIT } from './plan-rules.ts';

/** A field for each limit of a guard, empty for its default. */
export function GuardLimits({ form }: { form: Form }) {
  const limits = settings.value?.guardLimits ?? [];
  const fields = limits.map(({ name, default: byDefault, unit, why }) => {
    const note = unit === 'percent' ? `Percent of ${why}.` : `${capitalised(why)}.`;
    return [`${LIMIT}${name}`, { label: name, placeholder: String(byDefault), note }];
  });
  return <FoldedFields title={`Guard limits (${limits.length})`} form={form} fields={Object.fromEntries(fields)} />;
}

/** The state in a sentence, and its reason where that says more. */
export function Standing({ sync }: { sync: SyncEntry }) {
  const { state, reason } = sync;
  const isBlocked = standsStill(sync);
  return (
    <>
      <div class="row baseline">
        <Badge tone={isBlocked ? 'attention' : SYNC_TONES[state]}>{isBlocked ? 'blocked' : state}</Badge>
        <p class="sentence" id="state">
          {syncSentence(sync)}
        </p>
      </div>
      {REASONED.includes(state) && <p class="note">{foreign(reason)}</p>}
    </>
  );
}

interface PlanLegendProperties {
  actions: PlanTotals['actions'];
  which?: typeof ACTIONS_SHOWN;
  children?: ComponentChildren;
}

/** A plan in numbers. */
export function PlanLegend({ actions, which = ACTIONS_SHOWN, children }: PlanLegendProperties) {
  const list = which.map((action) => [ACTION_COLOURS[action], actions[action], ACTION_LABELS[action]] as const);
  return <Counts list={list}>{children}</Counts>;
}
