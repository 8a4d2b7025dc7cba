/** The first two steps of a new sync; its plan is the third. */
import { Card, syncHref } from '../../../console/kit/elements.tsx';
import { Fields, type Form, ticks } from '../../../console/kit/form.tsx';
import { ColumnsPage, FilePage } from '../../../console/view/upload/columns-step.tsx';
import { Creating, creatingField } from '../../../console/view/upload/creating-fields.tsx';
import { CREATING, creatingOptions } from '../../../console/view/upload/creating-options.ts';
import { NewFile } from '../../../console/view/upload/file-choice.tsx';
import type { UploadEntry, UploadKind } from '../../../console/view/upload/upload-entry.ts';
import { PLAN_CHECKS } from '../../../options/labels.ts';
import { GuardLimits, limitsIn, PLAN, planFields, takesMissing } from './plan-parts.tsx';

/** Options that are called as the server calls them. */
const OWN = ['syncName', ...Object.keys(PLAN)];

export const SYNC: UploadKind = {
  noun: 'sync',
  steps: ['File', 'Columns', 'Plan'],
  base: '/syncs',
  path: '/v1/syncs',
  own: { ...CREATING, syncName: '', ...PLAN },
  hrefOf: syncHref,
  toQuery: ({ missing = '', whose = '', ...values }) => ({
    ...Object.fromEntries(OWN.map((name) => [name, values[name] ?? ''])),
    ...(values['mode'] === 'mirror' && { missing }),
    ...(takesMissing({ ...values, missing }) && { whose }),
    ...creatingOptions(values),
    ...Object.fromEntries(limitsIn(values).map(([name, value]) => [`limit.${name}`, value])),
  }),
  fieldOf: (name, form) => creatingField(name.replace(/^limit\./, 'limits.'), form),
  label: (form: Form) => (form.get('apply') === 'true' ? 'Plan and apply' : 'Create plan'),
  fields: PlanChoices,
};

const NAME = {
  placeholder: 'nightly',
  note: 'With a name, the sync remembers whom it makes members. That of a schedule continues what the schedule remembers.',
};

function PlanChoices({ form, preview }: UploadEntry) {
  return (
    <div class="folds">
      <Creating form={form} preview={preview} above="the plan is held" />
      <fieldset>
        <legend>The plan</legend>
        <div class="fields">
          <Fields form={form} fields={{ syncName: NAME, ...planFields(form), ...ticks(PLAN_CHECKS) }} />
        </div>
        <GuardLimits form={form} />
      </fieldset>
    </div>
  );
}

export function NewSync() {
  return (
    <Card id="new" title="New sync">
      <NewFile kind={SYNC} />
    </Card>
  );
}

export function NewSyncFile() {
  return <FilePage kind={SYNC} />;
}

export function NewSyncColumns() {
  return <ColumnsPage kind={SYNC} />;
}
