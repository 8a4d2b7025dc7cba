/** Questions before what cannot be undone. */
import { type ComponentChildren, render, type VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

export interface Question {
  question: ComponentChildren;
  explanation: ComponentChildren;
  yes: string;
  no: string;
}

/** Whether the user says yes. Escape and the safe button say no; focus returns to where it was. */
export async function confirmed({
  tone = 'danger',
  ...asked
}: Question & { tone?: 'main' | 'danger' }): Promise<boolean> {
  return (await ask({ ...asked, tone })) !== undefined;
}

/** The reason that the user gives for doing it; undefined when it is not to be done. */
export async function reasonFor(asked: Question & { tone: 'main' | 'danger' }): Promise<string | undefined> {
  const form = await ask({
    ...asked,
    fields: (
      <div class="field">
        <label for="reason">Reason</label>
        <input
          id="reason"
          name="reason"
          type="text"
          required
          pattern=".*\S.*"
          title="Enter a reason; it is recorded"
          maxLength={1000}
          autocomplete="off"
          autoFocus
        />
        <p class="note">It is recorded with your name.</p>
      </div>
    ),
  });
  return form === undefined ? undefined : String(form.get('reason') ?? '').trim();
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
