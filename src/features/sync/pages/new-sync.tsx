/** The first two steps of a new sync; its plan is the third. */
import { syncHref } from '../../../console/kit/elements.tsx';
import { Fields, type Form } from '../../../console/kit/form.tsx';
import { ColumnsPage, FilePage } from '../../../console/view/upload/columns-step.tsx';
import { Creating, creatingField } from '../../../console/view/upload/creating-fields.tsx';
import { creatingOptions } from '../../../console/view/upload/creating-options.ts';
import type { UploadEntry, UploadKind } from '../../../console/view/upload/upload-entry.ts';
import { GuardLimits, limitsIn, PLAN, planFields, takesMissing } from './plan-parts.tsx';

/** Options of a sync that no schedule has. */
const NAMING = ['syncName', 'adopt'];

export const SYNC: UploadKind = {
  noun: 'sync',
  steps: ['File', 'Columns', 'Plan'],
  base: '/syncs',
  path: '/v1/syncs',
  hrefOf: syncHref,
  toQuery: ({ missing = '', whose = '', ...values }) => ({
    ...Object.fromEntries([...NAMING, ...PLAN].map((name) => [name, values[name] ?? ''])),
    ...(values['mode'] === 'mirror' && { missing }),
    ...(takesMissing({ ...values, missing }) && { whose }),
    ...creatingOptions(values),
    ...Object.fromEntries(limitsIn(values).map(([name, value]) => [`limit.${name}`, value])),
  }),
  fieldOf: (name, form) => creatingField(name.replace(/^limit\./, 'limits.'), form),
  label: (form: Form) => (form.get('apply') === 'true' ? 'Plan and apply' : 'Create plan'),
  fields: PlanChoices,
};

function PlanChoices({ form, preview }: UploadEntry) {
  return (
    <div class="folds">
      <Creating form={form} preview={preview} above="the plan is held" />
      <fieldset>
        <legend>The plan</legend>
        <div class="fields">
          <Fields form={form} fields={[...NAMING, ...planFields(form)]} />
        </div>
        <GuardLimits form={form} />
      </fieldset>
    </div>
  );
}

export function NewSyncFile() {
  return <FilePage kind={SYNC} />;
}

export function NewSyncColumns() {
  return <ColumnsPage kind={SYNC} />;
}
