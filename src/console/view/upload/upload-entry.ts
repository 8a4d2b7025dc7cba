/** A file that was chosen for a new import or sync, with what was entered for it. It outlives its page, and a reload. */
import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { entryAt, keep } from '../../kept-entries.ts';
import { Form } from '../../kit/form.tsx';
import { call } from '../../requests.ts';
import { forgetOld, forgetStored, storedFile, storedFiles, storeFile } from '../../stored-files.ts';
import { newKey, Upload } from '../../uploads.ts';
import { FilePreview } from './file-preview.ts';
import { SHAPING } from './shape-form.ts';

type Values = Readonly<Record<string, string>>;

/** A kind of thing that a file is uploaded for. */
export interface UploadKind {
  noun: 'import' | 'sync';
  /** The names of its steps; what is made of the file has a page of its own, the last. */
  steps: readonly [file: string, columns: string, last: string];
  /** The query for the form's values besides those for reading the file. */
  toQuery: (values: Values) => Values;
  /** The field that shows what is wrong with an option. */
  fieldOf: (name: string, form: Form) => string;
  /** Label of the button that goes on. */
  label: (form: Form) => string;
  /** The choices that it has before its plan is made. */
  fields?: (entry: UploadEntry) => ComponentChildren;
}

/** It is read, and sent from its review. */
export const IMPORT: UploadKind = {
  noun: 'import',
  steps: ['File', 'Columns', 'Review'],
  toQuery: ({ expectRows = '', minRows = '', silent = '' }) => ({ expectRows, minRows, silent, askFirst: 'true' }),
  fieldOf: (name) => name,
  label: () => 'Next: review',
};

/** Values that belong to one file, and not to the next one. */
const OF_ONE_FILE = [...SHAPING, 'sheet', 'files', 'recipe'];

/** The address of its list; that in the API is the same below `/v1`. */
export function baseOf({ noun }: UploadKind) {
  return `/${noun}s`;
}

export function fileHref(kind: UploadKind) {
  return `${baseOf(kind)}/new`;
}

function columnsHref(kind: UploadKind, key: string) {
  return `${fileHref(kind)}/columns?file=${key}`;
}

export class UploadEntry {
  kind: UploadKind;
  form: Form;
  preview: FilePreview;
  file = signal<File | undefined>(undefined);
  /** The one that is under way, or whose end the form has not shown yet. */
  upload = signal<Upload | undefined>(undefined);
  /** The reason why no upload was started, or the last one failed, if no field shows it. */
  error = signal<unknown>(undefined);
  /** The part of its address, and the key of its upload. */
  key = newKey();
  /** The page of what was made of it; '' before that. */
  made = '';
  /** The request that made it, or was last tried. */
  #asked = '';
  #uploadKey = newKey();
  #ending = new AbortController();
  #timer: number | undefined;
  #isStored = false;

  constructor(kind: UploadKind) {
    this.kind = kind;
    this.form = new Form({});
    this.preview = new FilePreview(this.form, this.#ending.signal);
  }

  /** The present one takes a file; where it was removed, and the page that shows it is not gone yet, a new one does. */
  static choose(kind: UploadKind, file: File): UploadEntry {
    const present = entryAt(placeOf(kind));
    const entry = present instanceof UploadEntry ? present : new UploadEntry(kind);
    keep(placeOf(kind), entry);
    entry.choose(file);
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
    entry.form.assign(record.values);
    entry.file.value = record.file;
    entry.#isStored = true;
    keep(placeOf(kind), entry);
    void entry.preview.read(record.file, record.lookups);
    return entry;
  }

  /** The address of the columns of the file that this was made of, if they can be chosen once more. */
  static async columnsOf(kind: UploadKind, made: string): Promise<string | undefined> {
    const entry = entryAt(placeOf(kind));
    if (entry instanceof UploadEntry && entry.made === made) return entry.columnsHref;
    const record = (await storedFiles()).find((one) => one.made === made);
    return record && columnsHref(kind, record.key);
  }

  get columnsHref() {
    return columnsHref(this.kind, this.key);
  }

  /** Whether it is lost when a person leaves for good. */
  isUnsaved() {
    return this.made === '' && (this.file.peek() !== undefined || this.form.isChanged);
  }

  end() {
    this.upload.peek()?.stop();
    this.#ending.abort();
    clearTimeout(this.#timer);
    if (this.made === '') void forgetStored(this.key);
  }

  choose(chosen: File) {
    const before = this.file.peek();
    // Another file has another shape; the same one, fixed, has not.
    if (before !== undefined && before.name !== chosen.name) this.form.clear(OF_ONE_FILE);
    this.form.set('map', '');
    this.file.value = chosen;
    // The one that is under way goes on in the frame.
    this.upload.value = undefined;
    this.error.value = undefined;
    this.form.clearErrors();
    this.key = newKey();
    this.made = '';
    this.#asked = '';
    void this.preview.read(chosen);
    void forgetOld();
    this.store();
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
    if (file === undefined || this.#ending.signal.aborted) return;
    this.#isStored = await storeFile({
      key: this.key,
      at: Date.now(),
      file,
      lookups: this.preview.lookups.peek(),
      values: this.form.values.peek(),
      made: this.made,
      asked: this.#asked,
    });
  }

  /** Uploads the file; with the same options as before it leads to what was made of it. @returns its page, or '' while it is uploaded */
  start(address: string): string {
    const file = this.file.peek();
    if (file === undefined) return '';
    const lookups = this.preview.lookups.peek();
    const files = Object.entries(lookups).map(([part, { name, lastModified }]) => `${part} ${name} ${lastModified}`);
    const asked = [address, ...files].join(' ');
    if (this.made !== '' && this.#asked === asked) return this.made;
    // The same once more is a repetition, so that a lost answer does not make two; another option is another import.
    if (this.#asked !== '' && this.#asked !== asked) this.#uploadKey = newKey();
    this.#asked = asked;
    const before = this.made;
    const { noun } = this.kind;
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

/** The place at which the present one of a kind is kept. */
export function placeOf({ noun }: UploadKind) {
  return `new ${noun}`;
}

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
