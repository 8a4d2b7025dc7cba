/** Texts for the clipboard. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { announce, ask } from './actions.tsx';

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
      {said.value || label}
    </button>
  );
}

/** Without https, and away from this machine, browsers have no clipboard for pages: there a hidden field is selected. */
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

/** Shows a secret until it is said to be copied. @param question names it */
export function showOnce(question: string, explanation: string, secret: string) {
  return ask({
    question,
    explanation: (
      <>
        Copy it now: it is not shown again. {explanation}
        <span class="secret col">
          <code>{secret}</code> <CopyButton text={secret} what="the secret" />
        </span>
      </>
    ),
    yes: 'I have copied it',
    tone: 'main',
  });
}
