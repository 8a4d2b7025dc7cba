/** Actions of a person: buttons that start work, menus, questions before what cannot be undone. */

import { signal, useSignal } from '@preact/signals';
import { type ComponentChildren, render, type VNode } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { grouped } from '../../text/wording.ts';
import type { Values } from '../answers.ts';
import { connection, isAway } from '../requests.ts';
import { ErrorPlace } from './elements.tsx';
import { type FieldOptions, Fields, Form } from './form.tsx';

/** `signal` aborts when the page is left; `values` are those of the question's fields. */
type Task = (signal: AbortSignal, values: Values) => Promise<unknown>;

export function useWork() {
  const busy = useSignal(false);
  const error = useSignal<unknown>(undefined);
  const leaving = useMemo(() => new AbortController(), []);
  const { signal } = leaving;
  useEffect(() => {
    const back = () => {
      if (isAway(error.peek())) error.value = undefined;
    };
    connection.addEventListener('back', back, { signal });
    return () => leaving.abort();
  }, []);
  return {
    busy: busy.value,
    error: error.value,
    /** Does nothing while something is under way, or where the answer to the question is no. */
    start: async (task: Task, question?: Asked) => {
      if (busy.peek()) return;
      const values = question === undefined ? {} : await ask(question);
      if (values === undefined) return;
      busy.value = true;
      error.value = undefined;
      try {
        await task(signal, values);
      } catch (failure) {
        if (!signal.aborted) error.value = failure;
      } finally {
        busy.value = false;
      }
    },
  };
}

interface WorkButtonProperties {
  busy: boolean;
  onClick: () => void;
  /** `main`, `danger`, `quiet`. */
  kind?: string | undefined;
  /** For those who do not see what it belongs to. */
  label?: string | undefined;
  children?: ComponentChildren;
}

/** A button that starts work. While it is busy it keeps the focus, which `disabled` would take away. */
export function WorkButton({ busy, onClick, kind, label, children }: WorkButtonProperties) {
  return (
    <button type="button" class={kind} aria-disabled={busy} aria-label={label} onClick={() => !busy && onClick()}>
      {children}
    </button>
  );
}

/** A place whose pressed button may be gone afterwards: the next one takes the keyboard, or `other`, or the heading. */
export function useKeptFocus(other: (place: HTMLElement) => HTMLElement | null | undefined = () => null) {
  const place = useRef<HTMLDivElement | null>(null);
  const had = useRef(false);
  had.current = place.current?.contains(document.activeElement) === true;
  useLayoutEffect(() => {
    const { current } = place;
    if (!had.current || current?.contains(document.activeElement)) return;
    const next = current?.querySelector('button') ?? (current && other(current));
    // What stands in its place is where it was: nothing moves.
    if (next) next.focus({ preventScroll: true });
    else document.querySelector('h1')?.focus();
  });
  // The place itself may go with the button.
  useLayoutEffect(
    () => () => {
      if (place.current?.contains(document.activeElement)) document.querySelector('h1')?.focus();
    },
    [],
  );
  return place;
}

interface ActionsProperties {
  /** In their order; `false` leaves one out. */
  list: readonly (ActionButton | false)[];
  /** Further ones, in a menu with this name. */
  menu?: { label: string; list: readonly (ActionButton | false)[] };
  onDone?: () => unknown;
  class?: string;
  children?: ComponentChildren;
}

export interface ActionButton extends Omit<WorkButtonProperties, 'busy' | 'onClick' | 'children'> {
  text: ComponentChildren;
  question?: Asked | undefined;
  isOff?: boolean;
  /** The work that it does, or the address of a page that it leads to. */
  act: string | Task;
}

/** Buttons that start work, one at a time, and what went wrong with it. `children` stand before the menu. */
export function Actions({ list, menu, onDone, class: kind = 'buttons row', children }: ActionsProperties) {
  const work = useWork();
  const place = useKeptFocus();
  const drawn = (one: ActionButton | false, index: number) => {
    if (one === false) return null;
    const { text, act, label, question, isOff = false, kind = '' } = one;
    if (typeof act === 'string')
      return (
        <a key={index} class={kind} href={act} aria-label={label}>
          {text}
        </a>
      );
    const task: Task = async (...given) => {
      await act(...given);
      await onDone?.();
    };
    return (
      <WorkButton
        key={index}
        busy={work.busy || isOff}
        kind={kind}
        label={label}
        onClick={() => void work.start(task, question)}
      >
        {text}
      </WorkButton>
    );
  };
  return (
    <>
      <div class={kind} ref={place}>
        {list.map(drawn)}
        {children}
        {menu?.list.some((one) => one !== false) && (
          <Menu label={menu.label} isIcon>
            {menu.list.map(drawn)}
          </Menu>
        )}
      </div>
      <ErrorPlace error={work.error} />
    </>
  );
}

/** Closed by a choice, by Escape, and where the focus leaves it. An icon may stand for its label. */
export function Menu({ label, isIcon, children }: { label: string; isIcon?: boolean; children?: ComponentChildren }) {
  const menu = useRef<HTMLDetailsElement | null>(null);
  const close = () => {
    if (menu.current?.open !== true) return;
    // What a choice opens gives the focus back to where it was.
    if (menu.current.contains(document.activeElement)) menu.current.querySelector('summary')?.focus();
    menu.current.open = false;
  };
  return (
    <details
      class="menu"
      ref={menu}
      onKeyDown={({ key }) => key === 'Escape' && close()}
      onFocusOut={({ relatedTarget }) => {
        if (relatedTarget instanceof Node && menu.current?.contains(relatedTarget) === false) close();
      }}
    >
      <summary class="button" aria-label={label}>
        {!isIcon && label}
      </summary>
      <div class="menu-items col" onClickCapture={close}>
        {children}
      </div>
    </details>
  );
}

export interface Asked {
  question: ComponentChildren;
  explanation: ComponentChildren;
  yes: string;
  /** Absent where there is nothing to decide. */
  no?: string;
  /** Default: danger, where there are no fields. */
  tone?: 'main' | 'danger';
  /** The first one takes the focus. Where there is nothing to type, the safe button has it. */
  fields?: Readonly<Record<string, AskedField>>;
  /** Values to begin with; the others are empty. */
  initial?: Values;
}

/** Whether the user says yes. Escape and the safe button say no; focus returns to where it was. */
export async function confirmed(asked: Asked): Promise<boolean> {
  return (await ask(asked)) !== undefined;
}

/** Returns the check of a text that must be there. @param enter asks for it */
export function textProblem(enter: string, most: number) {
  return (text: string) => {
    if (text === '') return `${enter}.`;
    return text.length > most ? `It is too long: at most ${grouped(most)} characters.` : '';
  };
}

interface AskedField extends FieldOptions {
  /** The space around its value counts. */
  isExact?: boolean;
  /** Says why a value is not possible; '' where it is. The question stays open until then. */
  problem?: (value: string) => string;
}

/** Opens a dialog. Gives the values of its fields when it is closed by the button that says yes, else undefined. */
export function ask(asked: Asked): Promise<Values | undefined> {
  return new Promise((resolve) => {
    const close = showOver(
      <Dialog
        {...asked}
        onClose={(values) => {
          close();
          resolve(values);
        }}
      />,
    );
  });
}

/** Shows something over the page. @returns takes it away */
export function showOver(node: VNode): () => void {
  const host = document.createElement('div');
  document.body.append(host);
  render(node, host);
  return () => {
    render(null, host);
    host.remove();
  };
}

/** For a dialog: it is open while it is there. */
export function useModal() {
  const dialog = useRef<HTMLDialogElement | null>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return dialog;
}

function Dialog({
  question,
  explanation,
  yes,
  no,
  fields = {},
  tone = Object.keys(fields).length === 0 ? 'danger' : 'main',
  initial = {},
  onClose,
}: Asked & { onClose: (values: Values | undefined) => void }): VNode {
  const dialog = useModal();
  const form = useMemo(() => new Form(initial), []);
  const exact = Object.keys(fields).filter((name) => fields[name]?.isExact);
  const isSafeFirst = Object.values(fields).every(({ ticked }) => ticked !== undefined);
  const closed = () => {
    // A second Escape closes any dialog: one that has nothing to decide waits for its button.
    if (no === undefined && dialog.current?.returnValue !== 'yes') return dialog.current?.showModal();
    onClose(dialog.current?.returnValue === 'yes' ? form.read(exact) : undefined);
  };
  const check = (event: SubmitEvent) => {
    const values = form.read(exact);
    for (const [name, { problem }] of Object.entries(fields)) {
      const text = problem?.(values[name] ?? '') ?? '';
      if (text === '') continue;
      event.preventDefault();
      return void form.showError(name, text);
    }
  };
  return (
    <dialog ref={dialog} aria-labelledby="question" aria-describedby="explanation" onClose={closed}>
      <form method="dialog" class="gap col" onSubmit={check}>
        <h2 id="question">{question}</h2>
        <p id="explanation">{explanation}</p>
        <Fields form={form} fields={fields} />
        <div class="buttons row">
          {no !== undefined && (
            // Not a button that sends the form: Enter in a field means yes.
            <button type="button" autoFocus={isSafeFirst} onClick={() => dialog.current?.close('no')}>
              {no}
            </button>
          )}
          <button type="submit" value="yes" class={tone} autoFocus={no === undefined}>
            {yes}
          </button>
        </div>
      </form>
    </dialog>
  );
}

interface EntryFormProperties {
  fields: Readonly<Record<string, FieldOptions>>;
  /** Values to begin with; the others are empty. */
  initial?: Values;
  button: string;
  /** Whether the values stay once they were sent. */
  isKept?: boolean;
  onSend: (values: Values, signal: AbortSignal) => Promise<void>;
}

/** A short form with its button; what is wrong with a field is said beside it. */
export function EntryForm({ fields, initial = {}, button, isKept = false, onSend }: EntryFormProperties) {
  const form = useMemo(() => new Form(initial), []);
  const work = useWork();
  const send = (event: SubmitEvent) => {
    event.preventDefault();
    void work.start((signal) =>
      form.attempt(async () => {
        await onSend(form.read(), signal);
        if (!isKept) form.reset();
      }),
    );
  };
  return (
    <form class="gap col" noValidate onSubmit={send}>
      <Fields form={form} fields={fields} />
      <ErrorPlace error={work.error} />
      <div class="buttons row">
        <button type="submit" class="main" aria-disabled={work.busy}>
          {button}
        </button>
      </div>
    </form>
  );
}

/** Announced lately, the latest last. `at` in ms since 1970. */
const said = signal<readonly { at: number; about: string; text: string }[]>([]);
/** An announcement stays beside the next ones for so long, in ms: a text that is replaced at once is never read aloud. */
const STAYS_MS = 1000;

/** Has a screen reader say a change of state, in place of what was announced `about` the same thing. */
export function announce(text: string, about = text) {
  const at = Date.now();
  said.value = [...said.peek().filter((one) => at - one.at < STAYS_MS && one.about !== about), { at, about, text }];
}

/** For those who do not see the page. */
export function Announcements() {
  return said.value.map(({ at, text }) => <p key={`${at} ${text}`}>{text}</p>);
}
