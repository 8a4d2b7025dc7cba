/** The server's reading of a file's beginning, asked for whenever an option for reading changes. */

import { batch, computed, signal } from '@preact/signals';
import { type ByLookup, type LookupName, mapLookups } from '../../../options/lookups.ts';
import type { Field, FileFacts, FileLook, Preview } from '../../answers.ts';
import { MISSING } from '../../import-words.ts';
import type { Form } from '../../kit/form.tsx';
import { saidBeside } from '../../option-words.ts';
import { ApiError, connection, query, request } from '../../requests.ts';
import { isZip } from '../../uploads.ts';
import { pairsIn, pairsText, READING, readingOptions, SHAPING, unsaidOf } from './shape-form.ts';
import { readiness } from './steps.ts';

/** Size of the beginning of a file that is sent for a preview, in bytes. */
const BEGINNING_BYTES = 256 * 1024;
/** The largest workbook or archive that the server looks at; it needs the whole of it. */
const WHOLE_BYTES = 4 * 1024 * 1024;
/** Pause after which a typed value counts as complete, in ms. */
const TYPING_MS = 300;
/** After so long a busy server is asked once more. */
const BUSY_MS = 3000;

type Look = Omit<FileLook, 'before'> & Partial<FileLook>;
type Chosen = Readonly<Partial<Record<Field, string>>>;

/** A file that is shown with its first rows, whether it is uploaded or read by a schedule. */
export abstract class ShownFile {
  /** Undefined before a file was read, and when it cannot be. */
  found = signal<Preview | undefined>(undefined);
  /** The error of reading it; undefined if there is none, or a field shows it. */
  error = signal<unknown>(undefined);
  /** The first rows are asked for, and have not come. */
  isReading = signal(false);
  /** The facts about the file, also if it cannot be read; undefined before the first answer. */
  facts = signal<FileFacts | undefined>(undefined);
  /** The last import of the same file; undefined for none. */
  before = signal<FileLook['before'] | undefined>(undefined);
  /** The files in which UIDs and GUIDs are looked up, if any. */
  lookups = signal<ByLookup<File>>({});
  /** A workbook or archive that is too large to be looked at. */
  isTooLarge = signal(false);
  /** The action on a control that is gone now: the first rows take its focus until the file is read; '' for none. */
  landing = signal('');
  /** Suggestions that a person does not want, by their keys. */
  refused = signal<ReadonlySet<string>>(new Set());
  /** Columns of the file, as far as they are known. */
  columns = computed(() => this.found.value?.columns ?? this.facts.value?.columns.map(({ name }) => name) ?? []);
  /** Columns that were chosen by hand, by field. */
  chosen = computed((): Chosen => pairsIn(this.form.get('map')));
  protected form;
  protected leaving;
  #asked = 0;
  #timer: number | undefined;

  /** @param leaving aborts when nobody needs it any more */
  constructor(form: Form, leaving: AbortSignal) {
    this.form = form;
    this.leaving = leaving;
    const again = () => {
      if (codeOf(this.error.peek()) === 'AWAY') void this.ask();
    };
    connection.addEventListener('back', again, { signal: leaving });
    leaving.addEventListener('abort', () => clearTimeout(this.#timer));
  }

  /** Has the server look at the file; undefined where there is nothing to look at. */
  protected abstract look(): Promise<Look> | undefined;

  /** The control of a field that the server names. */
  protected controlOf(field: string) {
    return field;
  }

  /** @param columns of fields; '' for none */
  chooseAll(columns: Chosen) {
    this.form.set('map', pairsText({ ...this.chosen.peek(), ...columns }));
    for (const field of Object.keys(columns)) this.form.setError(`map-${field}`, '');
  }

  /** The column that a field is read from; '' for none. */
  columnOf(field: Field) {
    const column = this.chosen.value[field] ?? this.found.value?.recognised[field] ?? '';
    return this.columns.value.includes(column) ? column : '';
  }

  /** Asks when nothing has changed for a moment. */
  askSoon(ms = TYPING_MS) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.ask(), ms);
  }

  /** @param moveFocus to the field that is wrong */
  async ask(moveFocus = false) {
    clearTimeout(this.#timer);
    const own = ++this.#asked;
    const looking = this.look();
    this.isReading.value = looking !== undefined;
    try {
      const answer = await looking;
      if (answer !== undefined && own === this.#asked) this.#take(answer, moveFocus);
    } catch (error) {
      if (!this.leaving.aborted && own === this.#asked) this.#refuse(error, moveFocus);
    } finally {
      if (own === this.#asked) this.isReading.value = false;
    }
  }

  #take({ facts, preview, problem, before }: Look, moveFocus: boolean) {
    batch(() => {
      this.facts.value = facts ?? undefined;
      this.before.value = before ?? undefined;
      if (preview === null) return problem === null ? undefined : this.#refuse(new ApiError(problem), moveFocus);
      this.found.value = preview;
      this.error.value = undefined;
      // The server still refuses the other options that it refused.
      this.form.clearErrors(isOfReading);
      // Of a file without a header, all columns are named by their number.
      if (this.form.get('header') !== 'none') this.form.set('width', String(preview.columns.length));
    });
  }

  #refuse(error: unknown, moveFocus: boolean) {
    const { field, ...problem } = error instanceof ApiError ? error.problem : { detail: '' };
    if (codeOf(error) === 'BUSY') this.askSoon(BUSY_MS);
    const isBeside =
      field !== undefined &&
      this.form.showError(this.controlOf(field), saidBeside({ ...problem, field }), { moveFocus });
    batch(() => {
      this.found.value = undefined;
      this.error.value = isBeside ? undefined : error;
    });
  }
}

export class FilePreview extends ShownFile {
  /** Several files in one. */
  isArchive = signal(false);
  #head: Blob | undefined;
  #file = { name: '', size: 0 };

  /** The options by which the file is read, as the server takes them. */
  get options(): Record<string, string> {
    const values = this.form.read();
    const lookups = this.lookups.peek();
    const known = { width: Number(values['width']), uidColumn: this.columnOf('uid'), lookups };
    return { ...readingOptions(values, known), recipe: values['recipe'] ?? '' };
  }

  /** Looks at another file. */
  async read(file: File, lookups: ByLookup<File> = this.lookups.peek()) {
    batch(() => {
      this.lookups.value = lookups;
      this.refused.value = new Set();
      this.found.value = undefined;
      this.facts.value = undefined;
      this.before.value = undefined;
      this.error.value = undefined;
      this.isTooLarge.value = false;
    });
    this.#head = undefined;
    this.#file = file;
    if (file.size === 0) {
      this.error.value = `${file.name} is empty.`;
      return;
    }
    this.isReading.value = true;
    try {
      const isWhole = await isZip(file);
      this.isArchive.value = isWhole && /\.zip$/i.test(file.name);
      if (isWhole) {
        this.isTooLarge.value = file.size > WHOLE_BYTES;
        this.#head = this.isTooLarge.peek() ? undefined : file;
      } else this.#head = file.slice(0, BEGINNING_BYTES);
    } catch {
      this.error.value = `${file.name} cannot be read, or has changed. Choose it again.`;
    }
    await this.ask();
  }

  /** @param file undefined for none */
  lookUp(name: LookupName, file: File | undefined) {
    this.lookups.value = mapLookups({ ...this.lookups.peek(), [name]: file }, (one: File) => one);
  }

  protected override look() {
    // A half-filled option is not sent: the next key may complete it.
    if (this.#head === undefined || unsaidOf(this.form.read()) !== undefined) return undefined;
    const asked = query({ ...this.options, name: this.#file.name, size: this.#file.size });
    return request<FileLook>(`/v1/look${asked}`, { method: 'POST', body: this.#head, signal: this.leaving });
  }

  /** Whether it can be read whole; else the first place to fix has the focus. */
  mayBeRead() {
    const unsaid = unsaidOf(this.form.read());
    if (unsaid !== undefined) return !this.form.showError(unsaid.field, unsaid.text);
    const is = this.readiness;
    if (typeof is === 'string') return is === 'ready';
    const [first, ...others] = is;
    for (const field of others) this.form.setError(`map-${field}`, MISSING[field] ?? '');
    return first === undefined || !this.form.showError(`map-${first}`, MISSING[first] ?? '');
  }

  get readiness() {
    return readiness({
      found: this.found.value,
      isReading: this.isReading.value,
      isTooLarge: this.isTooLarge.value,
      chosen: this.chosen.value,
    });
  }
}

/** The fields that say how a file is read. */
export const READ_BY = [...READING, ...SHAPING, 'recipe', 'map'];

function isOfReading(name: string) {
  return READ_BY.includes(name) || name.startsWith('map-');
}

function codeOf(error: unknown) {
  return error instanceof ApiError ? error.code : '';
}
