/** Parts of pages that have a plan: its flags as fields of a form, and its numbers. */
import type { PlanTotals } from '../../../console/answers.ts';
import { settings } from '../../../console/frame.tsx';
import { swatch } from '../../../console/kit/elements.tsx';
import { FoldedFields, type Form } from '../../../console/kit/form.tsx';
import { ACTION_COLOURS, ACTION_LABELS, PLAN_ACTIONS } from '../../../console/sync-words.ts';
import { PLAN_CHECKS } from '../../../options/labels.ts';
import { grouped } from '../../../text/wording.ts';

/** Options of a plan. */
export const PLAN = [
  'mode',
  'missing',
  'whose',
  'left',
  'changed',
  'protect',
  'removeNamed',
  ...Object.keys(PLAN_CHECKS),
];

/** Whether members who are not in the file are removed or banned. */
export function takesMissing({ mode, missing = '' }: Readonly<Record<string, string>>) {
  return mode === 'mirror' && missing !== '';
}

export function planFields(form: Form) {
  const brought: Readonly<Record<string, boolean>> = {
    missing: form.get('mode') === 'mirror',
    whose: takesMissing(form.read()),
  };
  return PLAN.filter((name) => brought[name] ?? true);
}

/** A field for each limit of a guard, empty for its default. */
export function GuardLimits({ form }: { form: Form }) {
  const limits = settings.value?.guardLimits ?? [];
  const fields = limits.map(({ name, default: byDefault, unit, why }) => {
    const note = unit === 'percent' ? `Percent of ${why}.` : `${why.charAt(0).toUpperCase()}${why.slice(1)}.`;
    return [`${LIMIT}${name}`, { label: name, placeholder: String(byDefault), note }];
  });
  return <FoldedFields title={`Guard limits (${limits.length})`} form={form} fields={Object.fromEntries(fields)} />;
}

/** Before the name of a limit. */
const LIMIT = 'limits.';

/** The limits that are filled in. */
export function limitsIn(values: Readonly<Record<string, string>>): (readonly [name: string, value: string])[] {
  return Object.entries(values).flatMap(([name, value]) =>
    name.startsWith(LIMIT) && value !== '' ? [[name.slice(LIMIT.length), value] as const] : [],
  );
}

/** The fields that these limits fill. */
export function limitFields(limits: Readonly<Record<string, number>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(limits).map(([name, value]) => [`${LIMIT}${name}`, String(value)]));
}

/** A plan in numbers. */
export function PlanLegend({
  totals: { actions },
  which = PLAN_ACTIONS,
}: {
  totals: PlanTotals;
  which?: typeof PLAN_ACTIONS;
}) {
  return (
    <ul class="legend">
      {which
        .filter((action) => actions[action] > 0)
        .map((action) => (
          <li key={action}>
            {swatch(ACTION_COLOURS[action])}
            <b>{grouped(actions[action])}</b> {ACTION_LABELS[action]}
          </li>
        ))}
    </ul>
  );
}
