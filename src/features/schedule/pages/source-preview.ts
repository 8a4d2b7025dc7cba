/** The file of a schedule as the server finds it now, and how it would be read. Asked for when the person wants to see it. */
import { batch, computed } from '@preact/signals';
import type { SentFor } from '../../../api/operation.ts';
import type { Field } from '../../../console/answers.ts';
import type { Form } from '../../../console/kit/form.tsx';
import { ApiError, requestsOf } from '../../../console/requests.ts';
import { ShownFile } from '../../../console/view/upload/file-preview.ts';
import type { scheduleOperations } from '../operations.ts';
import { mapOf, mapText } from './settings-form.ts';

const { call } = requestsOf<typeof scheduleOperations>();

/** A schedule looks ids up where its settings say, and a file that is too large is refused. */
export class SourcePreview extends ShownFile {
  override chosen = computed(() => this.#chosen());
  /** Whether it was asked for, also where that was refused or is still to be answered: not where there is no file. */
  isWanted = false;
  #form;

  constructor(form: Form) {
    super();
    this.#form = form;
  }

  get isShown() {
    return this.found.value !== undefined || this.facts.value !== undefined;
  }

  override chooseAll(columns: Readonly<Partial<Record<Field, string>>>) {
    this.#form.set('map', mapText({ ...this.#chosen(), ...columns }));
    for (const field of Object.keys(columns)) this.#form.setError(`map-${field}`, '');
  }

  /** @param settings of the schedule @throws ApiError */
  async ask(settings: SentFor<typeof scheduleOperations.look>['body'], signal: AbortSignal) {
    this.isWanted = true;
    const { facts, preview, problem } = await call('POST /v1/schedules/look', { body: settings }, signal).catch(
      (error) => {
        this.isWanted = error instanceof ApiError && error.problem.field !== 'file';
        throw error;
      },
    );
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
