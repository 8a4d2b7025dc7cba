/** Actions of a person: buttons that start work, menus, questions before what cannot be undone, texts for the clipboard. */

import { signal, useSignal } from '@preact/signals';
import { type ComponentChildren, render, type VNode } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { connection } from '../requests.ts';
import { isAway } from '../use-answer.ts';
export interface Work {
  busy: boolean;
  /** The error of the last attempt; undefined for none. */
  error: unknown;
  /** Does nothing while something is under way, or where the answer to the question is no. */
  start: (task: (signal: AbortSignal) => Promise<unknown>, question?: ToConfirm) => Promise<void>;
}

/** `signal` of a task aborts when the page is left. */
export function useWork(): Work {
  const busy = useSignal(false);
  const error = useSignal<unknown>(undefined);
  const signal = useLeaving();
  useEffect(() => {
    const back = () => {
      if (isAway(error.peek())) error.value = undefined;
    };
    connection.addEventListener('back', back);
    return () => connection.removeEventListener('back', back);
  }, []);
  return {
    busy: busy.value,
    error: error.value,
    start: async (task, question) => {
      if (busy.peek() || (question !== undefined && !(await confirmed(question)))) return;
      busy.value = true;
      error.value = undefined;
      try {
        await task(signal());
      } catch (failure) {
        if (!signal().aborted) error.value = failure;
      } finally {
        busy.value = false;
      }
    },
  };
}

/** Gives a signal that aborts when this part of the page is gone. */
export function useLeaving(): () => AbortSignal {
  const leaving = useRef(new AbortController());
  useEffect(() => () => leaving.current.abort(), []);
  return () => leaving.current.signal;
}

interface WorkButtonProperties {
  busy: boolean;
  onClick: () => void;
  /** `main`, `danger`, `quiet`. */
  kind?: string;
  /** For those who do not see what it belongs to. */
  label?: string | undefined;
  children?: ComponentChildren;
}

/** A button that starts work. While it is busy it keeps the focus, which `disabled` would take away. */
export function WorkButton({ busy, onClick, kind = '', label, children }: WorkButtonProperties) {
  return (
    <button type="button" class={kind} aria-disabled={busy} aria-label={label} onClick={() => !busy && onClick()}>
      {children}
    </button>
  );
}

/** A place whose pressed button may be gone afterwards: the next one takes the keyboard, or else the page's heading. */
export function useKeptFocus() {
  const place = useRef<HTMLDivElement | null>(null);
  const had = useRef(false);
  had.current = place.current?.contains(document.activeElement) === true;
  useLayoutEffect(() => {
    if (!had.current || place.current?.contains(document.activeElement)) return;
    (place.current?.querySelector('button') ?? document.querySelector('h1'))?.focus();
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

interface MenuProperties {
  /** Its name; also its text, unless it has a sign. */
  label: string;
  /** Such as ⋯. */
  sign?: string;
  children?: ComponentChildren;
}

/** Closed by a choice, by Escape, and where the focus leaves it. */
export function Menu({ label, sign, children }: MenuProperties) {
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
      <summary class="button" aria-label={sign === undefined ? undefined : label}>
        {sign ?? label}
      </summary>
      <div class="menu-items" onClickCapture={close}>
        {children}
      </div>
    </details>
  );
}

export interface Question {
  question: ComponentChildren;
  explanation: ComponentChildren;
  yes: string;
  no: string;
}

type ToConfirm = Question & { tone?: 'main' | 'danger' };

/** Whether the user says yes. Escape and the safe button say no; focus returns to where it was. */
export async function confirmed({ tone = 'danger', ...asked }: ToConfirm): Promise<boolean> {
  return (await ask({ ...asked, tone })) !== undefined;
}

/** The reason that the user gives for doing it; undefined when it is not to be done. */
export async function reasonFor(asked: Question & { tone: 'main' | 'danger' }): Promise<string | undefined> {
  const form = await ask({
    ...asked,
    fields: (
      <AskedText
        name="reason"
        label="Reason"
        required="Enter a reason; it is recorded"
        maxLength={1000}
        note="It is recorded with your name."
        autoFocus
      />
    ),
  });
  return form === undefined ? undefined : String(form.get('reason') ?? '').trim();
}

interface AskedTextProperties {
  name: string;
  label: string;
  /** The browser says it at a field that is left empty. */
  required?: string;
  /** A line of text that a question asks for. The question stays open until it is right. */
  problem?: (value: string) => string;
  note?: string;
  maxLength?: number;
  placeholder?: string;
  defaultValue?: string;
  autoFocus?: boolean;
}

/** A line of text in a question, which stays open until it is right. */
export function AskedText({ name, label, required, problem, note, ...input }: AskedTextProperties) {
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <input
        id={name}
        name={name}
        type="text"
        required={required !== undefined}
        pattern={required && '.*\\S.*'}
        title={required}
        autocomplete="off"
        onInput={({ currentTarget }) => problem && currentTarget.setCustomValidity(problem(currentTarget.value))}
        {...input}
      />
      {note !== undefined && <p class="note">{note}</p>}
    </div>
  );
}

interface Asked extends Omit<Question, 'no'> {
  /** Absent where there is nothing to decide. */
  no?: string;
  tone?: 'main' | 'danger';
  /** Controls, of which one takes the focus. Without any, the safe button has it. */
  fields?: ComponentChildren;
  /** The safe button takes the focus, although there are controls. */
  isSafeFirst?: boolean;
}

/** Opens a dialog. Gives what its form holds when it is closed by the button that says yes, else undefined. */
export function ask(asked: Asked): Promise<FormData | undefined> {
  return new Promise((resolve) => {
    const close = showOver(
      <Dialog
        {...asked}
        onClose={(form) => {
          close();
          resolve(form);
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
  tone = 'main',
  fields,
  isSafeFirst = fields === undefined,
  onClose,
}: Asked & { onClose: (form: FormData | undefined) => void }): VNode {
  const dialog = useModal();
  const closed = () => {
    // A second Escape closes any dialog: one that has nothing to decide waits for its button.
    if (no === undefined && dialog.current?.returnValue !== 'yes') return dialog.current?.showModal();
    const form = dialog.current?.querySelector('form');
    const isYes = dialog.current?.returnValue === 'yes' && form !== null && form !== undefined;
    onClose(isYes ? new FormData(form) : undefined);
  };
  return (
    <dialog ref={dialog} aria-labelledby="question" aria-describedby="explanation" onClose={closed}>
      <form method="dialog">
        <h2 id="question">{question}</h2>
        <p id="explanation">{explanation}</p>
        {fields}
        <div class="buttons">
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

/** Time for which a button says that it has copied, in ms. */
const COPIED_MS = 2000;

interface CopyButtonProperties {
  text: string;
  /** Is copied, such as "the UID anna": for those who do not see what it belongs to. */
  what: string;
  label?: string;
}

/** Copies `text`, and says so on its face and aloud. */
export function CopyButton({ text, what, label = 'Copy' }: CopyButtonProperties) {
  const said = useSignal('');
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const copy = async () => {
    try {
      await copyText(text);
      said.value = 'Copied';
      announce(`Copied ${what}.`);
    } catch {
      said.value = 'Not copied';
      announce(`${what} could not be copied: the browser refused it.`);
    }
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      said.value = '';
    }, COPIED_MS);
  };
  return (
    <button type="button" class="copy small-button" aria-label={`${label} ${what}`} onClick={() => void copy()}>
      {said.value === '' ? label : said.value}
    </button>
  );
}

/**
 * Without https, and away from this machine, browsers have no clipboard for pages: there a hidden field is selected.
 * @throws Error when the browser does not allow it
 */
async function copyText(text: string) {
  if (navigator.clipboard !== undefined) return navigator.clipboard.writeText(text);
  const before = document.activeElement;
  const field = document.createElement('textarea');
  field.value = text;
  field.className = 'unseen';
  // A dialog that is open takes the focus from everything outside it.
  (document.querySelector('dialog[open]') ?? document.body).append(field);
  field.select();
  const isCopied = document.execCommand('copy');
  field.remove();
  if (before instanceof HTMLElement) before.focus();
  if (!isCopied) throw new Error('the browser does not allow it');
}

/**
 * Shows a secret until it is said to be copied.
 * @param question names it
 */
export function showOnce(question: string, explanation: string, secret: string) {
  return ask({
    question,
    explanation: `Copy it now: it is not shown again. ${explanation}`,
    fields: (
      <p class="secret">
        <code>{secret}</code> <CopyButton text={secret} what="the secret" />
      </p>
    ),
    yes: 'I have copied it',
  });
}

/** Announced lately, the latest last. `at` in ms since 1970. */
const said = signal<readonly { at: number; about: string; text: string }[]>([]);
/** An announcement stays beside the next ones for so long, in ms: a text that is replaced at once is never read aloud. */
const STAYS_MS = 1000;

/**
 * Has a screen reader say this when it has a moment. For changes of state, not for progress.
 * @param about takes the place of what was announced about the same thing
 */
export function announce(text: string, about = text) {
  const at = Date.now();
  said.value = [...said.peek().filter((one) => at - one.at < STAYS_MS && one.about !== about), { at, about, text }];
}

/** For those who do not see the page. */
export function Announcements() {
  return said.value.map(({ at, text }) => <p key={`${at} ${text}`}>{text}</p>);
}
