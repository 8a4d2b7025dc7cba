/** What the server understands of a file's beginning, asked for whenever something changes by which it is read. */
import { batch, signal } from '@preact/signals';
import { ApiError, query, request } from '../../api.js';
import { beginning } from '../../upload.js';
import { MISSING } from '../../words.js';
import { READING } from './reading.js';

/** @import { Field, Preview } from '../../answers.d.ts' */
/** @import { Form } from '../../form.js' */

/** As much of the file as is sent to be looked at. */
const BEGINNING_BYTES = 256 * 1024;
/** Who has paused this long has typed a whole value. */
const TYPING_MS = 300;

export class FilePreview {
  /** Undefined before a file was read, and when it cannot be. */
  found = signal(/** @type {Preview | undefined} */ (undefined));
  /** Why it cannot be read; undefined for nothing, or where a field says it. */
  error = signal(/** @type {unknown} */ (undefined));
  /** Whether a field says why it cannot be read. */
  isRefused = signal(false);
  /** Columns that were chosen by hand, where they differ from what is recognised. */
  chosen = signal(/** @type {Readonly<Partial<Record<Field, string>>>} */ ({}));
  /** What was recognised before anything was chosen. @type {Preview['recognised']} */
  #recognised = {};
  /** @type {Blob | undefined} */
  #head;
  #asked = 0;
  /** @type {number | undefined} */
  #timer;
  #form;
  #leaving;

  /** @param {Form} form @param {AbortSignal} leaving */
  constructor(form, leaving) {
    this.#form = form;
    this.#leaving = leaving;
  }

  /** The options by which the file is read, as the server takes them. @returns {Record<string, string>} */
  get options() {
    const values = this.#form.read();
    const reading = Object.keys(READING).map((name) => [name, values[name] ?? '']);
    const map = Object.entries(this.chosen.peek()).map(([field, column]) => `${field}=${column}`);
    return { ...Object.fromEntries(reading), map: map.join(',') };
  }

  /** Looks at another file. @param {File} file */
  async read(file) {
    batch(() => {
      this.chosen.value = {};
      this.found.value = undefined;
    });
    this.#recognised = {};
    try {
      this.#head = await beginning(file, BEGINNING_BYTES);
    } catch {
      this.error.value = `${file.name} cannot be read, or has changed. Choose it again.`;
      return;
    }
    await this.ask();
  }

  /** @param {Field} field @param {string} column '' for none */
  choose(field, column) {
    const { [field]: _, ...others } = this.chosen.peek();
    const isRecognised = column === (this.#recognised[field] ?? '');
    this.chosen.value = isRecognised ? others : { ...others, [field]: column };
    void this.ask();
  }

  /** Asks when nobody has typed for a moment. */
  askSoon() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.ask(), TYPING_MS);
  }

  async ask() {
    clearTimeout(this.#timer);
    if (this.#head === undefined) return;
    const own = ++this.#asked;
    try {
      /** @type {Preview} */
      const answer = await request(`/v1/preview${query(this.options)}`, {
        method: 'POST',
        body: this.#head,
        type: 'application/octet-stream',
        signal: this.#leaving,
      });
      if (own === this.#asked) this.#show(answer);
    } catch (error) {
      if (!this.#leaving.aborted && own === this.#asked) this.#refuse(error);
    }
  }

  /** Whether nothing that is known speaks against it; else the first place to fix has the focus. */
  mayStart() {
    const [missing] = this.found.peek()?.missing ?? [];
    return missing === undefined || !this.#form.showError(`map-${missing}`, MISSING[missing] ?? 'Choose a column.');
  }

  /** @param {Preview} answer */
  #show(answer) {
    if (Object.keys(this.chosen.peek()).length === 0) this.#recognised = answer.recognised;
    batch(() => {
      this.found.value = answer;
      this.error.value = undefined;
      this.isRefused.value = false;
      this.#form.clearErrors();
      for (const field of answer.missing) this.#form.setError(`map-${field}`, MISSING[field] ?? '');
    });
  }

  /** @param {unknown} error */
  #refuse(error) {
    const problem = error instanceof ApiError ? error.problem : undefined;
    const isBeside =
      problem?.field !== undefined &&
      this.#form.showError(problem.field, `${problem.detail} ${problem.remedy ?? ''}`, { moveFocus: false });
    batch(() => {
      this.found.value = undefined;
      this.isRefused.value = isBeside;
      this.error.value = isBeside ? undefined : error;
    });
  }
}
