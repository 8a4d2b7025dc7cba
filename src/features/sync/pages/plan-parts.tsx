/** Parts of pages that have a plan: its flags as fields of a form, and its numbers. */
import type { PlanTotals } from '../../../console/answers.ts';
import { settings } from '../../../console/frame.tsx';
import { swatch } from '../../../console/kit/elements.tsx';
import { FoldedFields, type Form } from '../../../console/kit/form.tsx';
import { ACTION_COLOURS } from '../../../console/sync-words.ts';
import { creatingOptions } from '../../../console/view/upload/steps.ts';
import { ACTION_LABELS, ACTIONS_SHOWN } from '../../../membership/plan-words.ts';
import { PLAN_CHECKS } from '../../../options/labels.ts';
import { grouped } from '../../../text/wording.ts';

/** Options of a plan. */
const PLAN = ['mode', 'missing', 'whose', 'left', 'changed', 'protect', 'removeNamed', ...Object.keys(PLAN_CHECKS)];

/** Whether members who are not in the file are removed or banned. */
function takesMissing({ mode, missing = '' }: Readonly<Record<string, string>>) {
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
const LIMIT = 'limit.';

/** The options of a plan that the fields stand for, as the server takes them. */
export function planOptions({ missing = '', ...values }: Readonly<Record<string, string>>): Record<string, string> {
  const chosen = { ...values, missing: values['mode'] === 'mirror' ? missing : '' };
  const named = Object.entries({ whose: '', ...chosen }).filter(
    ([name]) => PLAN.includes(name) || name.startsWith(LIMIT),
  );
  return {
    ...Object.fromEntries(named),
    ...(!takesMissing(chosen) && { whose: '' }),
    ...creatingOptions(values),
  };
}

/** A plan in numbers. */
export function PlanLegend({
  totals: { actions },
  which = ACTIONS_SHOWN,
}: {
  totals: PlanTotals;
  which?: typeof ACTIONS_SHOWN;
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
