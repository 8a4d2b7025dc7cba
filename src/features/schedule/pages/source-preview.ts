/** The file of a schedule as the server finds it now, and how it would be read. Asked for when the person wants to see it. */
import { batch, computed, signal } from '@preact/signals';
import type { Field, FileFacts, Look, Preview } from '../../../console/answers.ts';
import type { Form } from '../../../console/form.tsx';
import { ApiError, request } from '../../../console/requests.ts';
import type { ByLookup } from '../../../options/lookups.ts';
import { mapOf, mapText } from './settings-form.ts';

/** The preview in the form that the parts for showing a file need (view/upload). */
export class SourcePreview {
  found = signal<Preview | undefined>(undefined);
  facts = signal<FileFacts | undefined>(undefined);
  error = signal<unknown>(undefined);
  isRefused = signal(false);
  // A schedule looks ids up where its settings say, and a file that is too large is refused.
  lookups = signal<ByLookup<File>>({});
  isTooLarge = signal(false);
  /** The focus after a change, as in the preview of an upload (view/upload/preview.ts). */
  landing = signal('');
  /** Columns that were chosen by hand. */
  chosen = computed(() => this.#chosen());
  columns = computed(() => this.found.value?.columns ?? this.facts.value?.columns.map(({ name }) => name) ?? []);
  /** Whether it was asked for, also where that was refused or is still to be answered: not where there is no file. */
  isWanted = false;
  /** Counts up when a file was chosen from a list. */
  picked = signal(0);
  #form;

  constructor(form: Form) {
    this.#form = form;
  }

  get isShown() {
    return this.found.value !== undefined || this.facts.value !== undefined;
  }

  /** Another file was chosen from a list: it is shown at once. */
  pick() {
    batch(() => {
      this.isWanted = true;
      this.picked.value += 1;
      this.facts.value = undefined;
      this.found.value = undefined;
    });
  }

  /** The column that a field is read from; '' for none. */
  columnOf(field: Field) {
    const column = this.chosen.value[field] ?? this.found.value?.recognised[field] ?? '';
    return this.columns.value.includes(column) ? column : '';
  }

  /** @param columns of fields; '' for none */
  chooseAll(columns: Readonly<Partial<Record<Field, string>>>) {
    this.#form.set('map', mapText({ ...this.#chosen(), ...columns }));
    for (const field of Object.keys(columns)) this.#form.setError(`map-${field}`, '');
  }

  /** @param settings of the schedule @throws ApiError */
  async ask(settings: object, signal: AbortSignal) {
    this.isWanted = true;
    const { facts, preview, problem } = await request<Look>('/v1/schedules/look', {
      method: 'POST',
      json: settings,
      signal,
    }).catch((error) => {
      this.isWanted = error instanceof ApiError && error.problem.field !== 'file';
      throw error;
    });
    batch(() => {
      this.facts.value = facts ?? undefined;
      this.found.value = preview ?? undefined;
      this.error.value = problem === null ? undefined : new ApiError(problem);
    });
    if (this.#form.get('header') !== 'none') this.#form.set('width', String(this.columns.peek().length));
  }

  #chosen(): Readonly<Partial<Record<Field, string>>> {
    try {
      return mapOf({ map: this.#form.get('map') });
    } catch {
      // The user is typing it.
      return {};
    }
  }
}
