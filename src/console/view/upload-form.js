/** A file that is chosen, looked at, and uploaded with its options. */
import { ApiError, query } from '../api.js';
import { fill, h } from '../element.js';
import { size } from '../format.js';
import { errorPlace } from '../notice.js';
import { newKey, upload } from '../upload.js';
import { fileChoice } from './new-import/file-choice.js';
import { filePreview } from './new-import/file-preview.js';

/** @import { FormOptions } from './new-import/options.js' */

/**
 * @param {object} form
 * @param {string} form.title
 * @param {string} form.path where the file goes
 * @param {(onReading: () => void) => FormOptions} form.makeOptions `onReading`: an option by which the file is read has changed
 * @param {(values: Readonly<Record<string, string>>) => string} form.label what the button says with these options
 * @param {(id: string) => void} form.onMade something was made of the file
 * @param {AbortSignal} form.signal
 */
export function uploadForm({ title, path: address, makeOptions, label: labelFor, onMade, signal }) {
  const details = h('form', {
    class: 'new-import',
    novalidate: true,
    onsubmit: (event) => void start(event),
    hidden: true,
  });
  const problem = errorPlace();
  const progress = h('div', { class: 'reading' });
  const button = h('button', { class: 'main' });
  const options = makeOptions(() => preview.ask());
  const preview = filePreview({ options, signal });
  const choice = fileChoice((file) => {
    details.hidden = false;
    problem.clear();
    options.clearErrors();
    chosen = { file, key: newKey(), asked: '' };
    void preview.read(file);
  }, signal);
  /** @type {{ file: File, key: string, asked: string } | undefined} */
  let chosen;
  /** @type {AbortController | undefined} */
  let sending;

  const label = () => fill(button, labelFor(options.values()));
  options.onChange(label);
  label();
  details.append(
    preview.mapping,
    preview.element,
    options.element,
    problem.element,
    progress,
    h('div', { class: 'buttons' }, button),
  );

  /** @param {Event} event */
  const start = async (event) => {
    event.preventDefault();
    if (chosen === undefined || sending !== undefined) return;
    problem.clear();
    options.clearErrors();
    if (!preview.mayStart()) return;
    const { file } = chosen;
    const path = `${address}${query({ ...preview.readingOptions(), ...options.values(), name: file.name })}`;
    // The same once more is a repetition, so that a lost answer does not make two; another option is a new wish.
    if (chosen.asked !== '' && chosen.asked !== path) chosen.key = newKey();
    chosen.asked = path;
    sending = new AbortController();
    const stopped = AbortSignal.any([signal, sending.signal]);
    button.setAttribute('aria-disabled', 'true');
    showProgress(file, 0);
    addEventListener('beforeunload', askFirst);
    try {
      const onProgress = (/** @type {number} */ sent) => showProgress(file, sent);
      const { id } = await upload(path, file, { key: chosen.key, onProgress, signal: stopped });
      onMade(id);
    } catch (error) {
      if (error instanceof ApiError) showRefusal(error);
      else if (!stopped.aborted) problem.show(`${file.name} cannot be read, or has changed. Choose it again.`);
    } finally {
      sending = undefined;
      removeEventListener('beforeunload', askFirst);
      button.removeAttribute('aria-disabled');
      fill(progress);
    }
  };
  /** @param {ApiError} error */
  const showRefusal = (error) => {
    const { field, detail } = error.problem;
    if (
      field !== undefined &&
      (options.showError(field, detail, { moveFocus: true }) || preview.showError(field, detail))
    )
      return;
    problem.show(error);
  };
  const bar = h('progress', { max: 1, value: 0, 'aria-label': 'Upload' });
  const note = h('p', { class: 'note' });
  const stop = h('button', { type: 'button', class: 'quiet', onclick: () => sending?.abort() }, 'Stop upload');
  /**
   * @param {File} file
   * @param {number} sent
   */
  const showProgress = (file, sent) => {
    bar.value = file.size === 0 ? 1 : sent / file.size;
    fill(note, `Uploading: ${size(Math.min(sent, file.size))} of ${size(file.size)}`);
    if (bar.parentNode !== progress) progress.replaceChildren(bar, note, stop);
  };

  return h('section', { class: 'card', 'aria-labelledby': 'new' }, h('h2', { id: 'new' }, title), choice, details);
}

/** Leaving the site would end an upload: the browser asks. @param {Event} event */
function askFirst(event) {
  event.preventDefault();
}
