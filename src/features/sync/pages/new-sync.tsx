/** The first two steps of a new sync; its plan is the third. */

import { Fields } from '../../../console/kit/form.tsx';
import { Creating } from '../../../console/view/upload/creating-fields.tsx';
import { NewFilePage } from '../../../console/view/upload/new-file.tsx';
import type { UploadEntry, UploadKind } from '../../../console/view/upload/upload-entry.ts';
import { GuardLimits } from './plan.tsx';
import { planFields, planOptions } from './plan-rules.ts';

export function Page() {
  return <NewFilePage kind={SYNC} />;
}

/** Options of a sync that no schedule has. */
const NAMING = ['syncName', 'adopt'];

export const SYNC: UploadKind = {
  noun: 'sync',
  steps: ['File', 'Columns', 'Plan'],
  toQuery: (values) => ({
    ...Object.fromEntries(NAMING.map((name) => [name, values[name] ?? ''])),
    ...planOptions(values),
  }),
  label: (entry) => (entry.get('apply') === 'true' ? 'Plan and apply' : 'Create plan'),
  fields: PlanChoices,
};

function PlanChoices(form: UploadEntry) {
  return (
    <div class="folds col">
      <Creating form={form} columns={form.columns.value} above="the plan is held" />
      <fieldset>
        <legend>The plan</legend>
        <Fields form={form} fields={[...NAMING, ...planFields(form.values.value)]} />
        <GuardLimits form={form} />
      </fieldset>
    </div>
  );
}
