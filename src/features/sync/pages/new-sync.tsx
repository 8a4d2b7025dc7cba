/** A new sync: choose a file, see how it is read, plan. */
import { syncHref } from '../../../console/element.tsx';
import { useEntry } from '../../../console/kept-entries.ts';
import { CREATING, Creating, creatingField, creatingOptions } from '../../../console/view/upload/creating.tsx';
import { ReportPlace } from '../../../console/view/upload/reading.tsx';
import { READING, SHAPING } from '../../../console/view/upload/shape-form.ts';
import { UploadEntry } from '../../../console/view/upload/upload-entry.ts';
import { UploadForm } from '../../../console/view/upload-form.tsx';
import { GuardLimits, limitsIn, PLAN, planChecks, planFields } from './plan-fields.tsx';

/** Options that are called as the server calls them. */
const OWN = [...Object.keys(PLAN), 'reportTo'];

const PLACE = 'new sync';
const FORM = { ...READING, ...SHAPING, ...CREATING, ...PLAN, reportTo: '' };

export function NewSync() {
  const entry = useEntry(PLACE, () => new UploadEntry(PLACE, FORM));
  const { form } = entry;
  const mirrors = form.get('mode') === 'mirror';
  return (
    <UploadForm
      title="New sync"
      path="/v1/syncs"
      entry={entry}
      toQuery={({ missing = '', ...values }) => ({
        ...Object.fromEntries(OWN.map((name) => [name, values[name] ?? ''])),
        ...(mirrors && { missing }),
        ...creatingOptions(values),
        ...Object.fromEntries(limitsIn(values).map(([name, value]) => [`limit.${name}`, value])),
      })}
      fieldOf={(name) => creatingField(name.replace(/^limit\./, 'limits.'), form)}
      label={form.get('apply') === 'true' ? 'Plan and apply' : 'Create plan'}
      hrefOf={syncHref}
      own={(preview) => (
        <>
          <Creating form={form} preview={preview} above="the plan is held" />
          <fieldset>
            <legend>The plan</legend>
            <div class="fields">
              {planFields(form)}
              <ReportPlace form={form} />
              {planChecks(form)}
            </div>
            <GuardLimits form={form} />
          </fieldset>
        </>
      )}
    />
  );
}
