/** A file that was chosen for a new import or sync, with what was entered for it. It outlives its page. */
import { signal } from '@preact/signals';
import { entryAt, move } from '../../kept-entries.ts';
import { Form } from '../../kit/form.tsx';
import { newKey, type Task, Upload } from '../../uploads.ts';
import { FilePreview } from './file-preview.ts';
import { SHAPING } from './shape-form.ts';

/** Values that belong to one file, and not to the next one. */
const OF_ONE_FILE = { ...SHAPING, sheet: '', files: '', recipe: '' };

/** The place of the entry that was uploaded last, until it is known whether its file can be read. */
const UPLOADED = 'uploaded';

export class UploadEntry {
  /** The place under which it is kept. */
  place: string;
  form: Form;
  preview: FilePreview;
  file = signal<File | undefined>(undefined);
  /** The one that is under way, or whose end the form has not shown yet. */
  upload = signal<Upload | undefined>(undefined);
  /** The reason why no upload was started, or the last one failed, if no field shows it. */
  error = signal<unknown>(undefined);
  /** It starts when the first rows have come. */
  isWaiting = signal(false);
  /** The page of what was made of it; '' before that. */
  #made = '';
  #ending = new AbortController();
  /** The key of the upload, and what was asked for under it. */
  #attempt = { key: '', asked: '' };

  /** @param place where it is kept @param initial values of the form */
  constructor(place: string, initial: Readonly<Record<string, string>>) {
    this.place = place;
    this.form = new Form(initial);
    this.preview = new FilePreview(this.form, this.#ending.signal);
  }

  isUnsaved() {
    return this.#made === '' && (this.file.peek() !== undefined || this.form.isChanged);
  }

  end() {
    this.upload.peek()?.stop();
    this.#ending.abort();
  }

  /** Whether the same file is still chosen. */
  has(file: File) {
    return this.file.peek() === file && !this.#ending.signal.aborted;
  }

  /** Makes room for the next file. This one is kept: where it is rejected, a person reads it in another way. */
  leave(made: string) {
    this.#made = made;
    move(this.place, UPLOADED);
  }

  /** Puts it back into its form. */
  reopen() {
    this.#made = '';
    this.upload.value = undefined;
    this.#attempt = { key: newKey(), asked: '' };
    move(UPLOADED, this.place);
  }

  /** Returns the entry from which the thing with this page was made, if its form is free to take it back. */
  static madeInto(href: string): UploadEntry | undefined {
    const entry = entryAt(UPLOADED);
    const isIt = entry instanceof UploadEntry && entry.#made === href;
    return isIt && entryAt(entry.place)?.isUnsaved() !== true ? entry : undefined;
  }

  choose(chosen: File) {
    const before = this.file.peek();
    // Another file has another shape; the same one, fixed, has not.
    if (before !== undefined && before.name !== chosen.name) this.form.assign(OF_ONE_FILE);
    this.file.value = chosen;
    // The one that is under way goes on in the frame.
    this.upload.value = undefined;
    this.error.value = undefined;
    this.form.clearErrors();
    this.#attempt = { key: newKey(), asked: '' };
    void this.preview.read(chosen);
  }

  start(task: Pick<Task, 'address' | 'file' | 'formHref' | 'hrefOf' | 'noun'>) {
    const lookups = this.preview.lookups.peek();
    const files = Object.entries(lookups).map(([part, { name, lastModified }]) => `${part} ${name} ${lastModified}`);
    const asked = [task.address, ...files].join(' ');
    // The same once more is a repetition, so that a lost answer does not make two; another option is another import.
    if (this.#attempt.asked !== '' && this.#attempt.asked !== asked) this.#attempt.key = newKey();
    this.#attempt.asked = asked;
    const upload = new Upload({ ...task, lookups, key: this.#attempt.key });
    this.upload.value = upload;
    void upload.run().then(() => {
      if (this.upload.peek() !== upload) return;
      if (upload.state.peek() === 'stopped') this.upload.value = undefined;
      if (upload.state.peek() === 'made' && !upload.isWatched.peek()) this.leave(upload.href);
    });
  }
}
