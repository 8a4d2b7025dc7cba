/** The form for a file: its values are the options by which it is read, and the server says how that goes whenever they change. */

import { computed, signal } from '@preact/signals';
import { type ByLookup, type LookupName, mapLookups } from '../../../options/lookups.ts';
import type { Field, FileLook, Values } from '../../answers.ts';
import { pairsIn, pairsText } from '../../format.ts';
import { Form } from '../../kit/form.tsx';
import { saidBeside } from '../../option-words.ts';
import { Question } from '../../question.ts';
import { ApiError, connection, isBusy } from '../../requests.ts';
import {
  type Change,
  columnNames,
  fieldText,
  isOfShape,
  merged,
  READING,
  shapeIn,
  shapeText,
  withField,
  withPart,
} from './file-options.ts';

const TYPING_MS = 300;
/** After so long a busy server is asked once more. */
const BUSY_MS = 3000;

type Look = Omit<FileLook, 'before'> & Partial<FileLook>;

/** The options by which the file is read. */
export const READ_BY = [...READING, 'map', 'shape', 'recipe'];

export abstract class FileForm extends Form {
  /** Whether it makes an import, which can have files in which ids are looked up. */
  abstract readonly isImport: boolean;
  /** The latest answer of the server about the file. */
  protected readonly looked = new Question<Look | undefined>();
  /** The first rows; undefined before the file was read, and when it cannot be. */
  found = computed(() => (this.looked.error.value === undefined && this.looked.data.value?.preview) || undefined);
  /** The error of reading it; undefined if there is none, or a field shows it. */
  unread = signal<unknown>(undefined);
  isReading = signal(false);
  /** The facts about the file, also if it cannot be read; undefined before the first answer. */
  facts = computed(() => this.looked.data.value?.facts ?? undefined);
  before = computed(() => this.looked.data.value?.before ?? undefined);
  /** The files in which UIDs and GUIDs are looked up, if any. */
  lookups = signal<ByLookup<File>>({});
  isTooLarge = signal(false);
  /** The action on a control that is gone now: the first rows take its focus until the file is read; '' for none. */
  landing = signal('');
  /** Suggestions that a person does not want, by their keys. */
  refused = signal<ReadonlySet<string>>(new Set());
  /** Columns of the file, as far as they are known. */
  columns = computed(() => this.found.value?.columns ?? this.facts.value?.columns.map(({ name }) => name) ?? []);
  shape = computed(() => shapeIn(super.get('shape')) ?? {});
  protected readonly ending = new AbortController();
  #timer: number | undefined;

  constructor(initial: Values = {}) {
    super(initial);
    const { data, error } = this.looked;
    const again = () => (data.peek() ?? error.peek()) !== undefined && void this.ask();
    connection.addEventListener('back', again, { signal: this.ending.signal });
  }

  get isShown() {
    return this.isTooLarge.value || (this.found.value ?? this.facts.value) !== undefined;
  }

  end() {
    this.ending.abort();
    clearTimeout(this.#timer);
  }

  /** Has the server look at the file; undefined where there is nothing to look at. */
  protected abstract look(): Promise<Look> | undefined;

  override get(name: string) {
    return isOfShape(name) ? fieldText(this.shape.value, name) : super.get(name);
  }

  override set(name: string, text: string) {
    if (!isOfShape(name)) return super.set(name, text);
    const uid = this.sourceOf('uid');
    const beginnings: Readonly<Record<string, unknown>> = {
      columns: columnNames(this.columns.peek().length),
      'firstOf.uid': [uid, '', ''],
    };
    super.set('shape', shapeText(withField(this.shape.peek(), name, text, beginnings[text])));
    this.setError(name, '');
    // The column stays that was chosen beside others.
    if (name === 'uidFrom' && uid !== '') this.choose({ uid });
  }

  /** @param value of a part of the shape; undefined for none */
  put(place: string, value: unknown) {
    super.set('shape', shapeText(withPart(this.shape.peek(), place, value)));
  }

  /** @param columns of fields; '' for none */
  choose(columns: NonNullable<Change['map']>) {
    const { uid } = columns;
    if (uid !== undefined && this.shape.peek().firstOf?.uid !== undefined) this.put('firstOf.uid.0', uid);
    super.set('map', pairsText({ ...pairsIn(super.get('map')), ...columns }));
    for (const field of Object.keys(columns)) this.setError(`map-${field}`, '');
  }

  take({ map, shape, recipe }: Change) {
    if (shape !== undefined) super.set('shape', shapeText(merged(this.shape.peek(), shape)));
    if (map !== undefined) this.choose(map);
    if (recipe !== undefined) this.set('recipe', recipe);
  }

  /** @param file undefined for none */
  lookUp(name: LookupName, file: File | undefined) {
    this.lookups.value = mapLookups({ ...this.lookups.peek(), [name]: file }, (one: File) => one);
  }

  /** The column that a field is read from, or the part of one; '' for none. */
  sourceOf(field: Field) {
    const chosen = this.shape.value.firstOf?.[field]?.[0] ?? pairsIn(super.get('map'))[field];
    return chosen ?? this.found.value?.recognised[field] ?? '';
  }

  /** The same, where it is a column of its own. */
  columnOf(field: Field) {
    const column = this.sourceOf(field);
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
    const looking = this.look();
    this.isReading.value = looking !== undefined;
    if (looking === undefined || !(await this.looked.ask(() => looking)) || this.ending.signal.aborted) return;
    this.isReading.value = false;
    const { preview, problem } = this.looked.data.peek() ?? {};
    const refused = this.looked.error.peek() ?? (preview === null && problem && new ApiError(problem));
    if (refused) return this.#refuse(refused, moveFocus);
    this.unread.value = undefined;
    // The server still refuses the other options that it refused.
    this.clearErrors((name) => READ_BY.includes(name) || isOfShape(name) || name.startsWith('map-'));
  }

  #refuse(error: unknown, moveFocus: boolean) {
    const { field, ...problem } = error instanceof ApiError ? error.problem : { detail: '' };
    if (isBusy(error)) this.askSoon(BUSY_MS);
    const isBeside =
      field !== undefined && this.showError(this.nameOf(field), saidBeside({ ...problem, field }), moveFocus);
    this.unread.value = isBeside ? undefined : error;
  }
}
