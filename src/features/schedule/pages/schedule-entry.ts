import type { Values } from '../../../console/answers.ts';
import { OWN_ZONE, pairsIn, pairsText } from '../../../console/format.ts';
import { ApiError, call, wrongField } from '../../../console/requests.ts';
import { FileForm } from '../../../console/view/upload/file-form.ts';
import { readingOptions, shapeIn, unsaidOf } from '../../../console/view/upload/file-options.ts';
import { CHOICES, RUN_LABELS, TICKED } from '../../../options/labels.ts';
import { planOptions } from '../../sync/pages/plan-rules.ts';
import type { ScheduleView as Schedule, ScheduleSettings } from '../operations.ts';
import { cronOf, scheduleName, timeFields } from './schedule-rules.ts';

/** The form of a schedule: ids are looked up where its settings say, and a file that is too large is refused. */
export class ScheduleForm extends FileForm {
  readonly isImport = false;
  /** The version that it was filled with. */
  version;
  /** Whether its file was asked for, also where that was refused or is still to be answered: not where there is no file. */
  isWanted = false;
  readonly #before;

  constructor(sources: readonly string[], before: Schedule | undefined) {
    super({
      every: '* * *',
      at: '02:30',
      tz: OWN_ZONE,
      file: sources[0] === undefined ? '' : below(sources[0]),
      ...(before !== undefined && fieldsOf(before)),
    });
    this.#before = before;
    this.version = before?.version ?? 0;
  }

  isUnsaved() {
    return this.isChanged;
  }

  /** @throws ApiError where there is none */
  get name() {
    const name = this.#before?.name ?? scheduleName(this.read()['name'] ?? '');
    if (name !== '') return name;
    throw wrongField('name', 'Give it a name with letters a to z or digits, such as “Nightly roster”.');
  }

  /**
   * The settings that the fields stand for, with what the form does not show. An empty field leaves its setting to the server.
   * @throws ApiError where a field says too little
   */
  get settings(): ScheduleSettings {
    const values = this.read();
    const { file = '', headers = '' } = values;
    if (/^$|\/$/.test(file)) throw wrongField('file', 'Say which file is read: give its path.');
    const unsaid = unsaidOf(shapeIn(values['shape']) ?? {});
    if (unsaid !== undefined) throw wrongField(unsaid.field, unsaid.text);
    const texts = {
      ...Object.fromEntries(['tz', 'exportOf', ...EACH_RUN].map((name) => [name, values[name] ?? ''])),
      ...planOptions(values),
      ...readingOptions(values),
    };
    const made = Object.entries(texts).map(([name, text]) => [
      name,
      TICKED.includes(name) ? text !== '' : text || undefined,
    ]);
    return { ...this.#before, ...Object.fromEntries(made), cron: cronOf(values), file, headers: pairsIn(headers) };
  }

  override set(name: string, text: string) {
    // An expression is easier to change than to begin.
    if (name === 'every' && text === 'cron' && this.get('cron') === '') super.set('cron', cronOf(this.read()));
    super.set(name, text);
  }

  override nameOf(field: string) {
    return field === 'cron' && this.get('every') !== 'cron' ? 'at' : field;
  }

  protected override async look() {
    this.isWanted = true;
    try {
      const body = { ...this.settings, name: this.#before?.name };
      return await call('POST /v1/schedules/look', { body }, this.ending.signal);
    } catch (error) {
      this.isWanted = error instanceof ApiError && error.problem.field !== 'file';
      throw error;
    }
  }
}

/** The beginning of names in a place. A named source, such as the query of a database, may be the whole. */
export function below(source: string) {
  return /[/:]$/.test(source) ? source : `${source}/`;
}

/** Options of each run beside those of its plan. */
export const EACH_RUN = Object.keys(RUN_LABELS);

/** Settings that have one field each, as their fields have them. */
export function textsIn(settings: object): Values {
  const defaults: Readonly<Record<string, readonly string[]>> = CHOICES;
  const plain = Object.entries(settings).filter(([, value]) => typeof value !== 'object' || Array.isArray(value));
  return Object.fromEntries(
    plain.map(([name, value]) => {
      if (value === false || value === defaults[name]?.[0]) return [name, ''];
      return [name, value === '\t' ? 'tab' : String(value)];
    }),
  );
}

function fieldsOf({ cron, headers, ...settings }: Schedule): Values {
  return { ...textsIn(settings), ...timeFields(cron), headers: pairsText(headers) };
}
