/** A file that is chosen, looked at, and uploaded with its options. */
import { useEffect, useLayoutEffect } from 'preact/hooks';
import { useAnswer } from '../answer.js';
import { ApiError, query } from '../api.js';
import { Card, h, importHref } from '../element.js';
import { useChange } from '../form.js';
import { dayAndTime } from '../format.js';
import { forget } from '../kept-entries.js';
import { ErrorPlace } from '../notice.js';
import { usePlace } from '../place.js';
import { saidBeside } from '../remedies.js';
import { Progress, sentence } from '../uploads-bar.js';
import { stateSentence } from '../words.js';
import { askWhenRead } from './import/before-sending.js';
import { FileChoice } from './upload/file-choice.js';
import { FileGrid } from './upload/file-grid.js';
import { FileFormat, RowDefaults, SheetChoice } from './upload/reading.js';
import { RecipeChoice, SaveRecipe } from './upload/recipe-choice.js';
import { READING, SHAPING } from './upload/shape-form.js';
import { Shaping } from './upload/shaping.js';
import { Suggestions } from './upload/suggestions.js';

/** @import { ComponentChildren } from 'preact' */
/** @import { Recipe } from '../answers.d.ts' */
/** @import { Form } from '../form.js' */
/** @import { Upload } from '../uploads.js' */
/** @import { FilePreview } from './upload/preview.js' */
/** @import { UploadEntry } from './upload/upload-entry.js' */

/** @typedef {Readonly<Record<string, string>>} Values */

/**
 * @param {object} properties
 * @param {string} properties.title
 * @param {string} properties.path where the file goes
 * @param {UploadEntry} properties.entry its form has the fields of READING, and those of `own`
 * @param {(preview: FilePreview) => ComponentChildren} properties.own the options that only this kind of upload has
 * @param {(values: Values) => Values} properties.toQuery what the server takes of the form's values besides how the file is read
 * @param {(name: string) => string} [properties.fieldOf] the field that shows what is wrong with an option
 * @param {string} properties.label what the button says
 * @param {boolean} [properties.isImport] imports take recipes and identity files
 * @param {(id: string) => string} properties.hrefOf the page of what is made of the file
 */
export function UploadForm({
  title,
  path,
  entry,
  own,
  toQuery = same,
  fieldOf = same,
  label,
  isImport = false,
  hrefOf,
}) {
  const { go } = usePlace();
  const { form, preview } = entry;
  const file = entry.file.value;
  const upload = entry.upload.value;
  const isBusy = upload?.isUnderWay === true;
  const hasRecipe = form.get('recipe') !== '';
  const takesRecipes = isImport || hasRecipe;
  /** @type {import('../answer.js').Answer<{ recipes: readonly Recipe[] }>} */
  const recipes = useAnswer(takesRecipes && file !== undefined ? '/v1/recipes' : null);

  const reading = [...Object.keys(READING), ...Object.keys(SHAPING), 'recipe'].map((name) => form.get(name));
  useChange(JSON.stringify(reading), () => preview.askSoon());
  // What is to be decided about the file is seen at once.
  useChange(file, () => file !== undefined && document.getElementById('new')?.scrollIntoView());
  useLayoutEffect(() => upload?.watch(), [upload]);
  useEffect(() => {
    if (upload === undefined || isBusy) return;
    upload.dismiss();
    if (upload.state.peek() === 'made') {
      forget(entry.place);
      go(upload.href);
    } else {
      entry.upload.value = undefined;
      entry.error.value = beside(upload.error, form, fieldOf) ? undefined : upload.error;
    }
  }, [upload, isBusy]);

  /** @param {SubmitEvent} event */
  const start = (event) => {
    event.preventDefault();
    if (file === undefined || isBusy) return;
    entry.error.value = undefined;
    form.clearErrors();
    if (!preview.mayStart()) return;
    const values = toQuery(form.read());
    // Many rows are read first; their page says what sending them takes, and asks.
    const isAsked = isImport && values['dryRun'] !== 'true' && preview.mayBeMany;
    const address = `${path}${query({ ...values, ...(isAsked && { dryRun: 'true' }), ...preview.options, name: file.name })}`;
    const pageOf = (/** @type {string} */ id) => {
      if (isAsked) askWhenRead(id);
      return hrefOf(id);
    };
    entry.start({ address, file, hrefOf: pageOf, noun: isImport ? 'import' : 'sync', formHref: location.pathname });
  };
  const remove = () => {
    forget(entry.place);
    document.getElementById('file')?.focus();
  };
  return h(
    Card,
    { id: 'new', title },
    h(FileChoice, {
      file,
      onFile: (chosen) => entry.choose(chosen),
      onSample: (sample) => {
        entry.choose(sample);
        preview.landing.value = 'The sample was chosen.';
      },
      onRemove: remove,
    }),
    h(ImportedBefore, { before: preview.before.value }),
    file !== undefined &&
      h(
        'form',
        { class: 'new-import', noValidate: true, onSubmit: start },
        h(SkipToStart, {}),
        h(SheetChoice, { preview, form }),
        h(FileGrid, { preview, form, isImport }),
        h(Suggestions, { preview, form, isImport }),
        takesRecipes && h(RecipeChoice, { preview, form, known: recipes.data?.recipes ?? [] }),
        h(FileFormat, { form, preview, isArchive: preview.isArchive.value }),
        h(Shaping, { preview, form, upload: isImport ? preview : undefined }),
        isImport &&
          !hasRecipe &&
          preview.found.value !== undefined &&
          h(SaveRecipe, { preview, form, onSaved: recipes.reload }),
        h(RowDefaults, { form }),
        own(preview),
        h(
          'div',
          { class: 'finish' },
          h(ErrorPlace, { error: entry.error.value }),
          h('div', { class: 'reading' }, upload !== undefined && isBusy && h(Uploading, { upload })),
          h(
            'div',
            { class: 'buttons' },
            h('button', { id: 'start', class: 'main', 'aria-disabled': isBusy }, label),
            isImport &&
              form.get('dryRun') !== 'true' &&
              h(
                'button',
                {
                  type: 'button',
                  'aria-disabled': isBusy,
                  onClick: ({ currentTarget }) => {
                    if (isBusy) return;
                    form.set('dryRun', 'true');
                    currentTarget.form?.requestSubmit();
                  },
                },
                'Check the whole file first',
              ),
          ),
        ),
      ),
  );
}

/** To the button that starts, for who needs none of the choices. */
function SkipToStart() {
  const skip = () => document.getElementById('start')?.focus();
  return h('div', { class: 'unseen' }, h('button', { type: 'button', onClick: skip }, 'Skip the choices'));
}

/** That the same file was imported before. @param {{ before: FilePreview['before']['value'] }} properties */
function ImportedBefore({ before }) {
  return h(
    'div',
    { role: 'status' },
    before &&
      h(
        'p',
        { class: 'notice' },
        before.isWhole ? 'The same file' : 'A file of this size that begins alike',
        ` was imported on ${dayAndTime(before.import.createdAt)}. ${stateSentence(before.import)} `,
        h('a', { href: importHref(before.import.id) }, 'See that import'),
      ),
  );
}

/** @param {{ upload: Upload }} properties */
function Uploading({ upload }) {
  return [
    h(Progress, { key: 'progress', upload }),
    h('p', { key: 'state', role: 'status', class: 'note' }, sentence(upload)),
    h('button', { key: 'stop', type: 'button', class: 'quiet', onClick: () => upload.stop() }, 'Stop upload'),
  ];
}

/**
 * Shows an error beside the field that it is about.
 * @param {unknown} error
 * @param {Form} form
 * @param {(name: string) => string} fieldOf
 * @returns {boolean} whether there is such a field
 */
function beside(error, form, fieldOf) {
  if (!(error instanceof ApiError) || error.problem.field === undefined) return false;
  const { field } = error.problem;
  const text = saidBeside(error.problem);
  return form.showError(fieldOf(field), text) || form.showError(`map-${field === 'map' ? 'uid' : field}`, text);
}

/** @template T @param {T} value */
function same(value) {
  return value;
}
