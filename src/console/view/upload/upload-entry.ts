/** A file that was chosen for a new import or sync, with what was entered for it. It outlives its page, and a reload. */
import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { FileLook, Values } from '../../answers.ts';
import { entryAt, keep } from '../../kept-entries.ts';
import { call, query, request } from '../../requests.ts';
import { forgetOld, forgetStored, storedFile, storedFiles, storeFile } from '../../stored-files.ts';
import { isZip, newKey, Upload } from '../../uploads.ts';
import { MISSING, readinessOf } from './columns-rules.ts';
import { FileForm } from './file-form.ts';
import { readingOptions, unsaidOf } from './file-options.ts';

/** A kind of thing that a file is uploaded for. */
export interface UploadKind {
  noun: 'import' | 'sync';
  /** The names of its steps; what is made of the file has a page of its own, the last. */
  steps: readonly [file: string, columns: string, last: string];
  /** The query for the form's values besides those for reading the file. */
  toQuery: (values: Values) => Values;
  /** Label of the button that goes on. */
  label: (entry: UploadEntry) => string;
  /** The choices that it has before its plan is made. */
  fields?: (entry: UploadEntry) => ComponentChildren;
}

/** It is read, and sent from its review. */
export const IMPORT: UploadKind = {
  noun: 'import',
  steps: ['File', 'Columns', 'Review'],
  toQuery: ({ expectRows = '', minRows = '', silent = '' }) => ({ expectRows, minRows, silent, askFirst: 'true' }),
  label: () => 'Next: review',
};

/** Values that belong to one file, and not to the next one. */
const OF_ONE_FILE = ['shape', 'sheet', 'files', 'recipe'];
/** Size of the beginning of a file that is sent for a preview, in bytes. */
const BEGINNING_BYTES = 256 * 1024;
/** The largest workbook or archive that the server looks at; it needs the whole of it. */
const WHOLE_BYTES = 4 * 1024 * 1024;

/** The address of its list; that in the API is the same below `/v1`. */
function baseOf({ noun }: UploadKind) {
  return `/${noun}s`;
}

/** The address at which a file is chosen; the present entry of a kind is kept there. */
export function fileHref(kind: UploadKind) {
  return `${baseOf(kind)}/new`;
}

function columnsHref(kind: UploadKind, key: string) {
  return `${fileHref(kind)}?file=${key}`;
}

export class UploadEntry extends FileForm {
  readonly kind: UploadKind;
  readonly isImport: boolean;
  file = signal<File | undefined>(undefined);
  /** Several files in one. */
  isArchive = signal(false);
  /** The one that is under way, or whose end the form has not shown yet. */
  upload = signal<Upload | undefined>(undefined);
  /** The reason why no upload was started, or the last one failed, if no field shows it. */
  failure = signal<unknown>(undefined);
  /** The part of its address. */
  key = newKey();
  /** The page of what was made of it; '' before that. */
  made = '';
  /** The request that made it, or was last tried. */
  #asked = '';
  #uploadKey = newKey();
  #head: Blob | undefined;
  #timer: number | undefined;
  #isStored = false;

  constructor(kind: UploadKind) {
    super();
    this.kind = kind;
    this.isImport = kind.noun === 'import';
  }

  /** The present one takes a file; where it was removed, and the page that shows it is not gone yet, a new one does. */
  static choose(kind: UploadKind, file: File): UploadEntry {
    const present = entryAt(fileHref(kind));
    const entry = present instanceof UploadEntry ? present : new UploadEntry(kind);
    keep(fileHref(kind), entry);
    entry.chooseFile(file);
    return entry;
  }

  /** The file with this key, as it is kept in the page or in the browser; undefined if it is not there any more. */
  static async kept(kind: UploadKind, key: string): Promise<UploadEntry | undefined> {
    const record = await storedFile(key);
    if (record === undefined) return undefined;
    const entry = new UploadEntry(kind);
    entry.key = key;
    entry.made = record.made;
    entry.#asked = record.asked;
    entry.#uploadKey = record.uploadKey ?? entry.#uploadKey;
    entry.assign(record.values);
    entry.lookups.value = record.lookups;
    entry.#isStored = true;
    keep(fileHref(kind), entry);
    void entry.#open(record.file);
    return entry;
  }

  /** The address of the columns of the file that this was made of, if they can be chosen once more. */
  static async columnsOf(kind: UploadKind, made: string): Promise<string | undefined> {
    const entry = entryAt(fileHref(kind));
    if (entry instanceof UploadEntry && entry.made === made) return entry.columnsHref;
    const record = (await storedFiles()).find((one) => one.made === made);
    return record && columnsHref(kind, record.key);
  }

  get columnsHref() {
    return columnsHref(this.kind, this.key);
  }

  /** Whether it is lost when a person leaves for good. */
  isUnsaved() {
    return this.made === '' && (this.file.peek() !== undefined || this.isChanged);
  }

  override end() {
    super.end();
    this.upload.peek()?.stop();
    clearTimeout(this.#timer);
    if (this.made === '') void forgetStored(this.key);
  }

  chooseFile(chosen: File) {
    const before = this.file.peek();
    // Another file has another shape; the same one, fixed, has not.
    if (before !== undefined && before.name !== chosen.name) this.clear(OF_ONE_FILE);
    this.set('map', '');
    // The one that is under way goes on in the frame.
    this.upload.value = undefined;
    this.failure.value = undefined;
    this.clearErrors();
    this.key = newKey();
    this.made = '';
    this.#asked = '';
    void this.#open(chosen);
    void forgetOld();
    this.store();
  }

  async #open(file: File) {
    this.file.value = file;
    this.refused.value = new Set();
    this.looked.set(undefined);
    this.unread.value = file.size === 0 ? `${file.name} is empty.` : undefined;
    this.isTooLarge.value = false;
    this.isReading.value = file.size > 0;
    this.#head = undefined;
    if (file.size === 0) return;
    try {
      const isWhole = await isZip(file);
      this.isArchive.value = isWhole && /\.zip$/i.test(file.name);
      this.isTooLarge.value = isWhole && file.size > WHOLE_BYTES;
      if (!this.isTooLarge.peek()) this.#head = isWhole ? file : file.slice(0, BEGINNING_BYTES);
    } catch {
      this.unread.value = `${file.name} cannot be read, or has changed. Choose it again.`;
    }
    await this.ask();
  }

  /** The options by which the file is read, as the server takes them. */
  get options(): Record<string, string> {
    const values = this.read();
    return { ...readingOptions(values, this.lookups.peek()), recipe: values['recipe'] ?? '' };
  }

  override nameOf(field: string) {
    if (field === 'map') return 'map-uid';
    return field === 'uid' || field === 'joinedAt' ? `map-${field}` : field;
  }

  protected override look() {
    const file = this.file.peek();
    // A half-filled option is not sent: the next key may complete it.
    if (file === undefined || this.#head === undefined || unsaidOf(this.shape.peek()) !== undefined) return undefined;
    const asked = query({ ...this.options, name: file.name, size: file.size });
    return request<FileLook>(`/v1/look${asked}`, { method: 'POST', body: this.#head, signal: this.ending.signal });
  }

  /** Whether it can be read whole; else the first place to fix has the focus. */
  mayBeRead() {
    const is = readinessOf(this);
    if (is === 'reading' || is === 'refused') return false;
    this.clearErrors();
    const unsaid = unsaidOf(this.shape.peek());
    if (unsaid !== undefined) return !this.showError(unsaid.field, unsaid.text);
    if (is === 'ready') return true;
    const shown = is.toReversed().map((field) => this.showError(`map-${field}`, MISSING[field] ?? ''));
    return !shown.includes(true);
  }

  /** Keeps it in the browser, a moment later. */
  store() {
    clearTimeout(this.#timer);
    this.#isStored = false;
    this.#timer = setTimeout(() => void this.#store(), STORE_MS);
  }

  /** Not for as long as it changes. */
  isStored() {
    return this.#isStored;
  }

  async #store() {
    const file = this.file.peek();
    if (file === undefined || this.ending.signal.aborted) return;
    this.#isStored = await storeFile({
      key: this.key,
      at: Date.now(),
      file,
      lookups: this.lookups.peek(),
      values: this.values.peek(),
      made: this.made,
      asked: this.#asked,
      uploadKey: this.#uploadKey,
    });
  }

  /** Uploads the file; with the same options as before it leads to what was made of it. @returns its page, or '' while it is uploaded */
  start(file: File): string {
    const { noun, toQuery } = this.kind;
    const lookups = this.lookups.peek();
    const address = `/v1${baseOf(this.kind)}${query({ ...toQuery(this.read()), ...this.options, name: file.name })}`;
    const files = Object.entries(lookups).map(([part, { name, lastModified }]) => `${part} ${name} ${lastModified}`);
    const asked = [address, ...files].join(' ');
    if (this.made !== '' && this.#asked === asked) return this.made;
    // The same once more is a repetition, so that a lost answer does not make two; another file or option is another import.
    if (this.#asked !== asked) this.#uploadKey = newKey();
    this.#asked = asked;
    void this.#store();
    const before = this.made;
    const upload = new Upload({ address, file, lookups, key: this.#uploadKey, noun, formHref: this.columnsHref });
    this.upload.value = upload;
    void upload.run().then(() => {
      const isMade = upload.state.peek() === 'made';
      if (isMade && before !== '') void removeUnsent(before);
      if (this.upload.peek() !== upload) return;
      if (isMade) {
        this.made = upload.href;
        void this.#store();
      }
      if (upload.state.peek() === 'stopped') this.upload.value = undefined;
    });
    return '';
  }
}

/** Typing is one change. */
const STORE_MS = 300;

/** The reading that another one has taken the place of; one that a person has sent or edited stays. */
async function removeUnsent(href: string) {
  const id = decodeURIComponent(/^\/imports\/([^/?]+)/.exec(href)?.[1] ?? '');
  if (id === '') return;
  const leaving = new AbortController().signal;
  try {
    const { state, startedAt, edited } = await call('GET /v1/imports/:id', { id }, leaving);
    const isUnsent = (state === 'staged' && startedAt === null && edited === undefined) || state === 'rejected';
    if (isUnsent) await call('DELETE /v1/imports/:id', { id }, leaving);
  } catch {
    // It stays in the list, where a person can delete it.
  }
}
