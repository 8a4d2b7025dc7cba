/** Secrets that the server gives once. */
import { CopyButton } from '../../copy.tsx';
import { ask } from '../../dialog.tsx';

/**
 * Shows a secret until it is said to be copied.
 * @param question names it
 */
export function showOnce(question: string, explanation: string, secret: string) {
  return ask({
    question,
    explanation: `Copy it now: it is not shown again. ${explanation}`,
    content: () => (
      <>
        <p class="secret">
          <code>{secret}</code> <CopyButton text={secret} what="the secret" />
        </p>
        <div class="buttons">
          <button type="submit" value="yes" class="main" autoFocus>
            I have copied it
          </button>
        </div>
      </>
    ),
  });
}
