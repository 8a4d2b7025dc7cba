/** A file that is chosen, looked at, and uploaded with its options. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { ApiError, query } from '../api.js';
import { Card, h } from '../element.js';
import { useChange } from '../form.js';
import { size } from '../format.js';
import { ErrorPlace } from '../notice.js';
import { saidBeside } from '../remedies.js';
import { newKey, upload } from '../upload.js';
import { useLeaving, useWork } from '../work.js';
import { ColumnMapping } from './upload/column-mapping.js';
import { FileChoice } from './upload/file-choice.js';
import { FirstRows } from './upload/first-rows.js';
import { FilePreview } from './upload/preview.js';
import { RawGrid } from './upload/raw-grid.js';
import { FileFormat, READING, RowDefaults, SheetChoice } from './upload/reading.js';
import { RecipeChoice } from './upload/recipe-choice.js';
import { SHAPING } from './upload/shape-form.js';
import { Shaping } from './upload/shaping.js';
import { Suggestions } from './upload/suggestions.js';

/** @import { ComponentChildren } from 'preact' */
/** @import { Form } from '../form.js' */

/** @typedef {Readonly<Record<string, string>>} Values */

/** What is said about one file, and not about the next one. */
const OF_ONE_FILE = { ...SHAPING, sheet: '', files: '', recipe: '' };

/**
 * @param {object} properties
 * @param {string} properties.title
 * @param {string} properties.path where the file goes
 * @param {Form} properties.form with the fields of READING, and those of `own`
 * @param {(preview: FilePreview) => ComponentChildren} properties.own the options that only this kind of upload has
 * @param {(values: Values) => Values} properties.toQuery what the server takes of the form's values besides how the file is read
 * @param {(name: string) => string} [properties.fieldOf] the field that shows what is wrong with an option
 * @param {string} properties.label what the button says
 * @param {boolean} [properties.isImport] imports take recipes and identity files
 * @param {(id: string) => void} properties.onMade something was made of the file
 */
export function UploadForm({
  title,
  path,
  form,
  own,
  toQuery = same,
  fieldOf = same,
  label,
  isImport = false,
  onMade,
}) {
  const file = useSignal(/** @type {File | undefined} */ (undefined));
  const sent = useSignal(/** @type {number | undefined} */ (undefined));
  /** The key of the upload, and what was asked for under it. */
  const attempt = useRef({ key: '', asked: '' });
  const stopping = useRef(new AbortController());
  const work = useWork();
  const leaving = useLeaving();
  const previewed = useRef(/** @type {FilePreview | undefined} */ (undefined));
  previewed.current ??= new FilePreview(form, leaving());
  const preview = previewed.current;

  const reading = [...Object.keys(READING), ...Object.keys(SHAPING), 'recipe'].map((name) => form.get(name));
  useChange(JSON.stringify(reading), () => preview.askSoon());
  useAskBeforeLeaving(work.busy);

  /** @param {File} chosen */
  const choose = (chosen) => {
    // Another file has another shape; the same one, fixed, has not.
    if (file.peek() !== undefined && file.peek()?.name !== chosen.name) form.assign(OF_ONE_FILE);
    file.value = chosen;
    work.setError(undefined);
    form.clearErrors();
    attempt.current = { key: newKey(), asked: '' };
    void preview.read(chosen);
  };
  /** @param {SubmitEvent} event */
  const start = (event) => {
    event.preventDefault();
    const chosen = file.peek();
    if (chosen === undefined || work.busy) return;
    work.setError(undefined);
    form.clearErrors();
    if (!preview.mayStart()) return;
    const address = `${path}${query({ ...toQuery(form.read()), ...preview.options, name: chosen.name })}`;
    const identities = preview.identities.peek();
    const asked = `${address} ${identities === undefined ? '' : `${identities.name} ${identities.lastModified}`}`;
    // The same once more is a repetition, so that a lost answer does not make two; another option is another import.
    if (attempt.current.asked !== '' && attempt.current.asked !== asked) attempt.current.key = newKey();
    attempt.current.asked = asked;
    stopping.current = new AbortController();
    void work.start(async (signal) => {
      sent.value = 0;
      const onProgress = (/** @type {number} */ bytes) => {
        sent.value = bytes;
      };
      const stopped = AbortSignal.any([signal, stopping.current.signal]);
      try {
        const { key } = attempt.current;
        const { id } = await upload(address, chosen, { key, onProgress, signal: stopped, identities });
        onMade(id);
      } catch (error) {
        if (stopped.aborted) return;
        if (!(error instanceof ApiError))
          throw new Error(`${chosen.name} cannot be read, or has changed. Choose it again.`);
        const { field } = error.problem;
        const text = saidBeside(error.problem);
        const isBeside =
          field !== undefined &&
          (form.showError(fieldOf(field), text) || form.showError(`map-${field === 'map' ? 'uid' : field}`, text));
        if (!isBeside) throw error;
      } finally {
        sent.value = undefined;
      }
    });
  };
  return h(
    Card,
    { id: 'new', title },
    h(FileChoice, { file: file.value, onFile: choose }),
    file.value !== undefined &&
      h(
        'form',
        { class: 'new-import', noValidate: true, onSubmit: start },
        isImport && h(RecipeChoice, { preview, form }),
        h(SheetChoice, { preview, form }),
        h(Suggestions, { preview, form, isImport }),
        h('div', { class: 'side-by-side' }, h(RawGrid, { preview }), h(FirstRows, { preview })),
        h(ColumnMapping, { preview, form }),
        h(FileFormat, { form, preview, isArchive: preview.isArchive.value }),
        h(Shaping, { preview, form, upload: isImport ? preview : undefined }),
        h(RowDefaults, { form }),
        own(preview),
        h(
          'div',
          { class: 'finish' },
          h(ErrorPlace, { error: work.error }),
          h(
            'div',
            { class: 'reading' },
            sent.value !== undefined &&
              h(Uploading, { sent: sent.value, total: file.value.size, onStop: () => stopping.current.abort() }),
          ),
          h(
            'div',
            { class: 'buttons' },
            h('button', { class: 'main', 'aria-disabled': work.busy }, label),
            isImport &&
              form.get('dryRun') !== 'true' &&
              h(
                'button',
                {
                  type: 'button',
                  'aria-disabled': work.busy,
                  onClick: ({ currentTarget }) => {
                    if (work.busy) return;
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

/** @param {{ sent: number, total: number, onStop: () => void }} properties bytes */
function Uploading({ sent, total, onStop }) {
  return [
    h('progress', { max: 1, value: total === 0 ? 1 : sent / total, 'aria-label': 'Upload' }),
    h('p', { class: 'note' }, `Uploading: ${size(Math.min(sent, total))} of ${size(total)}`),
    h('button', { type: 'button', class: 'quiet', onClick: onStop }, 'Stop upload'),
  ];
}

/** Leaving the site would end an upload: the browser asks. @param {boolean} isUnderWay */
function useAskBeforeLeaving(isUnderWay) {
  useEffect(() => {
    if (!isUnderWay) return;
    const askFirst = (/** @type {Event} */ event) => event.preventDefault();
    addEventListener('beforeunload', askFirst);
    return () => removeEventListener('beforeunload', askFirst);
  }, [isUnderWay]);
}

/** @template T @param {T} value */
function same(value) {
  return value;
}
