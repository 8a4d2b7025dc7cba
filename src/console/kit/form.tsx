/** Forms: values by name, an error beside each control, the way to the first one that is wrong, and a place for settings that few need. */

import { Signal } from '@preact/signals';
import type { ComponentChildren, InputHTMLAttributes } from 'preact';
import { useState } from 'preact/hooks';
import { CHOICES, HINTS, LABELS, TICKED, VALUE_LABELS } from '../../options/labels.ts';
import { counted } from '../../text/wording.ts';
import type { Values } from '../answers.ts';
import { pairsIn, pairsText } from '../format.ts';
import { saidBeside } from '../option-words.ts';
import { isNarrow } from '../place.ts';
import { ApiError } from '../requests.ts';

/** Options of pairs, each of which may have a field of its own: `maxCreate.users`. */
const PAIRED = /^(createMap|maxCreate)\.(.+)$/;

/** Values and errors of a form by the names of its fields; a checkbox that is not ticked is ''. */
export class Form {
  values: Signal<Values>;
  errors = new Signal<Values>({});
  #initial;

  constructor(initial: Values) {
    this.#initial = initial;
    this.values = new Signal(initial);
  }

  /** Whether anything differs from how the form began. */
  get isChanged() {
    return Object.entries(this.values.peek()).some(([name, value]) => value !== (this.#initial[name] ?? ''));
  }

  /** All values, without the space around them. @param exact fields whose values are as they were typed */
  read(exact: readonly string[] = []): Values {
    const all = Object.entries(this.values.peek());
    return Object.fromEntries(all.map(([name, value]) => [name, exact.includes(name) ? value : value.trim()]));
  }

  reset() {
    this.values.value = this.#initial;
    this.errors.value = {};
  }

  clear(names: readonly string[]) {
    this.assign(Object.fromEntries(names.map((name) => [name, ''])));
  }

  get(name: string): string {
    const [, option, part = ''] = PAIRED.exec(name) ?? [];
    return (option === undefined ? this.values.value[name] : pairsIn(this.get(option))[part]) ?? '';
  }

  /** The error of a field goes with the value that it is about. */
  set(name: string, value: string) {
    const [, option, part = ''] = PAIRED.exec(name) ?? [];
    if (option === undefined) return this.assign({ [name]: value });
    const { [part]: _, ...others } = pairsIn(this.get(option));
    this.assign({ [option]: pairsText(value === '' ? others : { ...others, [part]: value }) });
    this.setError(name, '');
  }

  assign(values: Values) {
    this.values.value = { ...this.values.peek(), ...values };
    for (const name of Object.keys(values)) this.setError(name, '');
  }

  /** @param text '' for nothing */
  setError(name: string, text: string) {
    if ((this.errors.peek()[name] ?? '') !== text) this.errors.value = { ...this.errors.peek(), [name]: text };
  }

  /** @param isOver the fields; default: all */
  clearErrors(isOver: (name: string) => boolean = () => true) {
    this.errors.value = Object.fromEntries(Object.entries(this.errors.peek()).filter(([name]) => !isOver(name)));
  }

  /** Shows what is wrong with a field beside it, and moves there if that is wanted. @returns whether there is such a field */
  showError(name: string, text: string, moveFocus = true): boolean {
    const control = controlOf(name);
    if (control === null) return false;
    this.setError(control.getAttribute('name') ?? name, text);
    unfold(control);
    if (moveFocus) control.focus();
    // What is typed or pasted then takes its place.
    if (moveFocus && control instanceof HTMLInputElement) control.select();
    return true;
  }

  /** The name here of a field that the server names. */
  nameOf(field: string) {
    return field;
  }

  /** Says what is wrong with a field beside it. @throws any other error of the task */
  async attempt(task: () => Promise<void>): Promise<void> {
    this.clearErrors();
    try {
      await task();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const { problem } = error;
      if (!this.showError(this.nameOf(problem.field ?? ''), saidBeside(problem))) throw error;
    }
  }
}

/** A value that is its own label, or both. */
export type Choice = string | readonly [value: string, label: string];

/** The values of an option, the default as the empty one; undefined where any is possible. */
export function choicesOf(name: string): Choice[] | undefined {
  const values = (CHOICES as Readonly<Record<string, readonly string[]>>)[name];
  return values?.map((value, at) => [at === 0 ? '' : value, VALUE_LABELS[name]?.[value] ?? value]);
}

/** A field of a form: one line of text, unless it has choices or is ticked. Default: as the option with its name is declared. */
export interface FieldOptions {
  label?: string | undefined;
  note?: ComponentChildren;
  placeholder?: string | undefined;
  /** Its values are: it gets the room of two. */
  isLong?: boolean;
  type?: 'time' | 'date' | 'search' | 'password' | 'file';
  choices?: readonly Choice[] | undefined;
  /** Shown while it is typed. */
  suggestions?: readonly Choice[] | undefined;
  /** Its value where it is ticked. */
  ticked?: string | undefined;
}

interface FieldsProperties {
  form: Form;
  /** In their order: names of options, or also what differs from their declaration; `false` leaves one out. */
  fields: readonly string[] | Readonly<Record<string, FieldOptions | false | undefined>>;
}

export function Fields({ form, fields }: FieldsProperties) {
  // Those to tick stand below the others.
  const last = (name: string) => Number(TICKED.includes(name));
  const all = Array.isArray(fields)
    ? fields.toSorted((one, other) => last(one) - last(other)).map((name) => [name, {}] as const)
    : Object.entries(fields);
  return (
    <div class="fields col">
      {all.map(
        ([name, options]) =>
          options && (
            <Control
              key={name}
              id={`new-${name}`}
              name={name}
              label={LABELS[name]}
              choices={choicesOf(name)}
              ticked={TICKED.includes(name) ? 'true' : undefined}
              {...HINTS[name]}
              {...options}
              value={form.get(name)}
              error={form.errors.value[name] ?? ''}
              onValue={(value) => form.set(name, value)}
            />
          ),
      )}
    </div>
  );
}

interface ControlProperties extends FieldOptions {
  id: string;
  name?: string;
  value: string;
  /** The reason why the value is wrong, '' for none. Default: there is no place for it. */
  error?: string;
  onValue?: (value: string) => void;
  attributes?: Omit<InputHTMLAttributes, 'type' | 'role'>;
}

/** A control with its label, a note, and a place for what is wrong with it. */
export function Control({ id, label, note, value, error, onValue, attributes, ...options }: ControlProperties) {
  const { name, choices, suggestions, placeholder, type = 'text', isLong = false, ticked } = options;
  if (ticked !== undefined) {
    return (
      <div class="check">
        <input
          type="checkbox"
          id={id}
          checked={value !== ''}
          onChange={({ currentTarget }) => onValue?.(currentTarget.checked ? ticked : '')}
        />
        <label for={id}>{label}</label>
      </div>
    );
  }
  const list = suggestions && `${id}-suggestions`;
  const says = [error !== undefined && `${id}-error`, note !== undefined && `${id}-note`].filter(Boolean);
  const own = {
    id,
    name,
    value,
    'aria-describedby': says.join(' ') || undefined,
    'aria-invalid': error ? true : undefined,
  };
  return (
    <div class={isLong ? 'field long col' : 'field col'}>
      <label for={id}>{label}</label>
      {choices === undefined ? (
        <input
          type={type as 'text'}
          list={list}
          placeholder={placeholder}
          spellcheck={false}
          autocapitalize="none"
          autocomplete={type === 'password' ? 'current-password' : 'off'}
          onInput={({ currentTarget }) => onValue?.(currentTarget.value)}
          {...attributes}
          {...own}
        />
      ) : (
        <select {...own} onChange={({ currentTarget }) => onValue?.(currentTarget.value)}>
          {/* The value in an address may not be among those offered. */}
          {optionsOf(
            value === '' || choices.some((choice) => chosenBy(choice) === value) ? choices : [...choices, value],
          )}
        </select>
      )}
      {suggestions && <datalist id={list}>{optionsOf(suggestions)}</datalist>}
      {note !== undefined && (
        <p class="note" id={`${id}-note`}>
          {note}
        </p>
      )}
      {error !== undefined && (
        <p class="error" id={`${id}-error`}>
          {error}
        </p>
      )}
    </div>
  );
}

function chosenBy(choice: Choice) {
  return typeof choice === 'string' ? choice : choice[0];
}

interface FoldedFieldsProperties extends FieldsProperties {
  title: string;
  /** At first, where there is room. */
  isOpen?: boolean;
  children?: ComponentChildren;
}

export function FoldedFields({ title, form, fields, isOpen = false, children }: FoldedFieldsProperties) {
  return (
    <details open={isOpen && !isNarrow()}>
      <summary>{title}</summary>
      <Fields form={form} fields={fields} />
      {children}
    </details>
  );
}

function unfold(control: HTMLElement) {
  for (let part: Element | null = control; part !== null; part = part.parentElement)
    if (part instanceof HTMLDetailsElement) part.open = true;
}

/** The control of a field, that of a part of it, or one that stands for it. */
function controlOf(name: string) {
  return (
    document.getElementById(`new-${name}`) ??
    document.querySelector<HTMLElement>(`[name^="${name}."], [data-fields~="${name}"]`)
  );
}

/** Moves to a field, out of what is folded. */
export function focusField(name: string) {
  const control = controlOf(name);
  if (control === null) return;
  unfold(control);
  control.focus();
}

export function optionsOf(choices: readonly Choice[]) {
  return choices.map((choice) => (
    <option key={chosenBy(choice)} value={chosenBy(choice)}>
      {typeof choice === 'string' ? choice : choice[1]}
    </option>
  ));
}

interface DrawerProperties {
  title: string;
  form: Form;
  /** Those in it: where one differs from the default, it is open at first. */
  fields: readonly string[];
  children?: ComponentChildren;
}

export function Drawer({ title, form, fields, children }: DrawerProperties) {
  const changed = fields.filter((name) => form.get(name).trim() !== '').length;
  const [isOpen] = useState(changed > 0);
  return (
    <details class="drawer" open={isOpen}>
      <summary>
        {title}
        <span class="note">
          {changed === 0 ? 'all as usual' : `${counted(changed, 'setting')} ${changed === 1 ? 'differs' : 'differ'}`}
        </span>
      </summary>
      <div class="folds col">{children}</div>
    </details>
  );
}
