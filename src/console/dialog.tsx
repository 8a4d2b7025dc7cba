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
  yes,
  no,
  tone = 'danger',
  ...asked
}: Question & { tone?: 'main' | 'danger' }): Promise<boolean> {
  const answer = await ask({
    ...asked,
    content: () => (
      <div class="buttons">
        <button type="submit" value="no" autoFocus>
          {no}
        </button>
        <button type="submit" value="yes" class={tone}>
          {yes}
        </button>
      </div>
    ),
  });
  return answer !== undefined;
}

/** The reason that the user gives for doing it; undefined when it is not to be done. */
export async function reasonFor({
  yes,
  no,
  tone,
  ...asked
}: Question & { tone: 'main' | 'danger' }): Promise<string | undefined> {
  const form = await ask({
    ...asked,
    content: (close) => (
      <>
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
        <div class="buttons">
          {/* Not a button that sends the form: Enter in the field means yes. */}
          <button type="button" onClick={close}>
            {no}
          </button>
          <button type="submit" value="yes" class={tone}>
            {yes}
          </button>
        </div>
      </>
    ),
  });
  return form === undefined ? undefined : String(form.get('reason') ?? '').trim();
}

interface AskOptions {
  question: ComponentChildren;
  explanation: ComponentChildren;
  content: (close: () => void) => ComponentChildren;
}

/** Opens a dialog. Gives what its form holds when it is closed by the button with the value `yes`, else undefined. */
export function ask(options: AskOptions): Promise<FormData | undefined> {
  return new Promise((resolve) => {
    const host = document.createElement('div');
    document.body.append(host);
    render(
      <Dialog
        {...options}
        onClose={(form) => {
          render(null, host);
          host.remove();
          resolve(form);
        }}
      />,
      host,
    );
  });
}

interface DialogProperties {
  question: ComponentChildren;
  explanation: ComponentChildren;
  content: (close: () => void) => ComponentChildren;
  onClose: (form: FormData | undefined) => void;
}

function Dialog({ question, explanation, content, onClose }: DialogProperties): VNode {
  const dialog = useRef<HTMLDialogElement | null>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const closed = () => {
    const form = dialog.current?.querySelector('form');
    const isYes = dialog.current?.returnValue === 'yes' && form !== null && form !== undefined;
    onClose(isYes ? new FormData(form) : undefined);
  };
  return (
    <dialog ref={dialog} aria-labelledby="question" aria-describedby="explanation" onClose={closed}>
      <form method="dialog">
        <h2 id="question">{question}</h2>
        <p id="explanation">{explanation}</p>
        {content(() => dialog.current?.close('no'))}
      </form>
    </dialog>
  );
}
